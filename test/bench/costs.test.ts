import { expect, test } from "vitest";
import { storedPerUser } from "./costs/stored-bytes.ts";

test("a user's bytes are those of 30 records, and of each change with its notification as long as the history is kept", () => {
  const index = (key: string, projection: object) => ({ KeySchema: [{ AttributeName: key }], Projection: projection });
  const GlobalSecondaryIndexes = [
    index("all_key", { ProjectionType: "INCLUDE", NonKeyAttributes: ["record"] }),
    index("mark_key", { ProjectionType: "KEYS_ONLY" }),
  ];
  const template = {
    Resources: { Records: { Type: "AWS::DynamoDB::GlobalTable", Properties: { GlobalSecondaryIndexes } } },
  };
  // Names and texts by their bytes, a number by half its digits and one, a map by 3, its names, and one more for each value.
  const record = { pk: "JOB#1", sk: "JOB", all_key: "JOBS", record: { id: 12, on: true }, revision: 123 };
  const change = { pk: "HISTORY#TIMESHEET#1", sk: "1.1" };
  const notification = { pk: "USER#1", sk: "NOTIFICATION#1", mark_key: "USER#1" };
  const stored = storedPerUser([record, change, notification], template, 10);
  expect(stored).toEqual({
    base: 30 * (100 + 7 + 5 + 11 + (6 + 3 + 4 + 2 + 2 + 1) + (8 + 3)) + 10 * (100 + 21 + 5) + 10 * (100 + 8 + 16 + 14),
    indexes: 30 * (100 + 7 + 5 + 11 + 18) + 10 * (100 + 8 + 16 + 14),
  });
  expect(() => storedPerUser([record, change], template, 10)).toThrow("no notification");
});

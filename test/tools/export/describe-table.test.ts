import { beforeAll, expect, test, vi } from "vitest";
import { describeTable } from "../../../infra/tools/export/describe-table.ts";
import { useFakeAws } from "../fake-aws.ts";

const hourMs = 60 * 60_000;
const aws = useFakeAws();

beforeAll(() => void vi.stubEnv("TABLE_NAME", "records"));

test.each([
  -2, 0, 3,
])("the time of an export is the table's, whatever clock this machine has: %i hours off", async (hours) => {
  const date = new Date(Date.now() - hours * hourMs);
  aws.answers.DescribeTable = { json: { Table: { ItemCount: 7 } }, date: date.toUTCString() };
  const { now, items } = await describeTable();
  expect(Math.abs(now().getTime() - date.getTime())).toBeLessThan(60_000);
  expect(items).toBe(7);
});

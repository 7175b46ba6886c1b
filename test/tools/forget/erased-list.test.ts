import { beforeAll, expect, test } from "vitest";
import { openErasedList } from "../../../infra/tools/forget/erased-list.ts";
import { useFakeAws } from "../fake-aws.ts";

/** Parameters by name, as Systems Manager gives them: two a page. */
const parameters = new Map<string, string>();
const aws = useFakeAws();

beforeAll(() => {
  aws.answers = {
    GetParametersByPath({ Path, NextToken = "0" }) {
      const found = [...parameters].filter(([name]) => name.startsWith(`${Path}/`));
      const from = Number(NextToken);
      const Parameters = found.slice(from, from + 2).map(([Name, Value]) => ({ Name, Value, Type: "String" }));
      return { json: { Parameters, ...(from + 2 < found.length && { NextToken: String(from + 2) }) } };
    },
    PutParameter({ Name, Value }) {
      parameters.set(String(Name), String(Value));
      return { json: {} };
    },
    DeleteParameter({ Name }) {
      return parameters.delete(String(Name)) ? { json: {} } : { error: "ParameterNotFound" };
    },
  };
});

test("a stage's list is in parameters of its own, outside of the table, by ascending id on any number of pages", async () => {
  const list = openErasedList({ stage: "prod", directory: "/nowhere" });
  const entry = (id: number) => ({ id, profile_ids: [id * 10], erased_at: "2026-05-01T00:00:00.000Z" });
  for (const id of [5, 3, 12, 3]) await list.add(entry(id));
  await list.add({ ...entry(5), profile_ids: [7], erased_at: "2026-06-01T00:00:00.000Z" });
  expect(await list.entries()).toEqual([entry(3), { ...entry(5), profile_ids: [50, 7] }, entry(12)]);
  expect([...parameters.keys()]).toContain("/workforce/prod/erased/12");
  await list.remove(5);
  await list.remove(5);
  expect((await list.entries()).map(({ id }) => id)).toEqual([3, 12]);
  expect(await openErasedList({ stage: "staging", directory: "/nowhere" }).entries()).toEqual([]);
});

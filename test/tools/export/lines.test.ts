import { expect, test } from "vitest";
import { wholeLine } from "../../../infra/tools/export/exported-lines.ts";

const record = { type: "company", id: 5, userId: 0 } as const;

test("a line has type and id first, then all else by name at every depth; lists keep their order", () => {
  const fields = { b: { z: [2, { y: 1, x: 2 }, 1], a: null }, a: "é" };
  expect(wholeLine({ ...record, fields })).toBe(
    '{"type":"company","id":5,"a":"é","b":{"a":null,"z":[2,{"x":2,"y":1},1]}}',
  );
  expect(wholeLine({ ...record, version: 7, fields: { z: 1, a: 1 } })).toBe(
    '{"type":"company","id":5,"a":1,"version":7,"z":1}',
  );
});

import { expect, test } from "vitest";
import { useFrozenService } from "../../frozen/frozen-service.ts";
import { runImport, streamOf } from "../import/run-import.ts";
import { emptyTable, exported, useFolder } from "./run-export.ts";

useFrozenService("0.1");
const file = useFolder();

test("what release 0.1 left is exported, imported, and exported as the same bytes", async () => {
  const first = await exported(file("first.jsonl"));
  const types = new Set(first.match(/(?<=^\{"type":")\w+/gm));
  expect(types.size).toBe(6);
  await emptyTable();
  expect((await runImport(streamOf(...first.split("\n").slice(0, -1)))).errors).toEqual([]);
  expect(await exported(file("again.jsonl"))).toBe(first);
});

import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { operations } from "../../shared/contract/operations.ts";
import { internalError, refusalCodes } from "../../shared/contract/refusals.ts";
import { useSigningKey } from "../support/records/own-user.ts";
import { useService } from "../support/service/service.ts";
import { recordProblems } from "./recorded-problems.ts";
import { loadRecordingData, recordAnswers } from "./recording.ts";

const file = new URL("../../infra/document/recorded.json", import.meta.url);
const hint = "npm run docs -- --examples";

const service = useService();
useSigningKey();
interface Examples {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly problems: Readonly<Record<string, unknown>>;
}
let recorded: Examples;
let stored: Examples;

beforeAll(async () => {
  await loadRecordingData();
  const answers = await recordAnswers(service);
  recorded = { answers, problems: await recordProblems() };
  vi.useRealTimers();
  if (process.env.RECORD_EXAMPLES) writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
  stored = JSON.parse(readFileSync(file, "utf8"));
});
afterAll(() => void vi.useRealTimers());

test.each(operations)("the document's example of $name is what it answers on the demo data", ({ name }) => {
  expect(stored.answers[name], hint).toBeDefined();
  expect(recorded.answers[name], hint).toEqual(stored.answers[name]);
});

test.each([
  ...Object.keys(refusalCodes),
  internalError.code,
])("the document's example of %s is such an answer", (code) => {
  expect(stored.problems, hint).toHaveProperty(code);
  expect(recorded.problems[code], hint).toEqual(stored.problems[code]);
});

test("lists have examples with items, and the file nothing that is gone", () => {
  const lists = operations.filter(({ list }) => list);
  for (const { name, list = "" } of lists) {
    const items = (stored.answers[name] as Record<string, unknown[]> | undefined)?.[list] ?? [];
    expect(items.length, `${name} lists nothing: add records to infra/local/demo, then ${hint}`).toBeGreaterThan(0);
  }
  expect(Object.keys(stored.answers).toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  expect(Object.keys(stored.problems).toSorted()).toEqual(
    [...Object.keys(refusalCodes), internalError.code].toSorted(),
  );
});

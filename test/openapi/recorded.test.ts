import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { operations } from "../../shared/contract/operations.ts";
import { internalError, refusalCodes } from "../../shared/contract/refusal-codes.ts";
import { recordedAnswers, recordedProblems } from "../../shared/openapi/recorded.ts";
import { useSigningKey } from "../support/records/own-user.ts";
import { useService } from "../support/service/service.ts";
import { recordProblems } from "./recorded-problems.ts";
import { loadRecordingData, recordAnswers } from "./recording.ts";

const file = new URL("../../shared/openapi/recorded.json", import.meta.url);
const hint = "npm run docs -- --examples";

const service = useService();
useSigningKey();
let recorded: { answers: Record<string, unknown>; problems: Record<string, unknown> };

beforeAll(async () => {
  await loadRecordingData();
  const answers = await recordAnswers(service);
  recorded = { answers, problems: await recordProblems() };
  vi.useRealTimers();
  if (process.env.RECORD_EXAMPLES) writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
});
afterAll(() => void vi.useRealTimers());

test.each(operations)("the document's example of $name is what it answers on the demo data", ({ name }) => {
  expect(recordedAnswers[name], hint).toBeDefined();
  expect(recorded.answers[name], hint).toEqual(recordedAnswers[name]);
});

test.each([
  ...Object.keys(refusalCodes),
  internalError.code,
])("the document's example of %s is such an answer", (code) => {
  expect(recordedProblems, hint).toHaveProperty(code);
  expect(recorded.problems[code], hint).toEqual(recordedProblems[code as keyof typeof recordedProblems]);
});

test("lists have examples with items, and the file nothing that is gone", () => {
  const lists = operations.filter(({ list }) => list);
  for (const { name, list = "" } of lists) {
    const items = (recordedAnswers[name] as Record<string, unknown[]> | undefined)?.[list] ?? [];
    expect(items.length, name).toBeGreaterThan(0);
  }
  expect(Object.keys(recordedAnswers).toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  expect(Object.keys(recordedProblems).toSorted()).toEqual(
    [...Object.keys(refusalCodes), internalError.code].toSorted(),
  );
});

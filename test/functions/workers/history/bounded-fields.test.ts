import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { boundFields } from "../../../../functions/workers/history-entries.ts";

const note = "n".repeat(1_000);
const text = JSON.stringify(note);
const sha256 = createHash("sha256").update(text).digest("base64url").slice(0, 22);

test.each([400, 100, 20, 0])("a value keeps %i letters and its hash where no more fit", (letters) => {
  const cut = JSON.stringify({ note: { cut: text.slice(0, letters), sha256 } });
  expect(boundFields({ after: { note } }, Buffer.byteLength(cut))).toEqual({ after: cut });
});

test("a value keeps nothing where not even its hash fits, and all of it where it fits", () => {
  expect(boundFields({ before: { note } }, 20)).toEqual({ before: '{"note":{"cut":""}}' });
  const whole = JSON.stringify({ note });
  expect(boundFields({ before: { note }, after: { note } }, 2 * whole.length)).toEqual({ before: whole, after: whole });
});

import { expect, test } from "vitest";
import { faultFields } from "../../shared/run/log.ts";

test.each<[string, unknown, object]>([
  [
    "an error of the service",
    Object.assign(new Error("no key"), { code: "not_ready" }),
    { error: "Error", code: "not_ready", error_message: "no key" },
  ],
  [
    "one with a code of Node",
    Object.assign(new Error("gone"), { code: "ECONNRESET" }),
    { error: "Error", code: undefined },
  ],
  [
    "one that quotes its input",
    new SyntaxError("Unexpected token in secret"),
    { error: "SyntaxError", error_message: undefined },
  ],
  [
    "one of the language about a name",
    new ReferenceError("paidd is not defined"),
    { error: "ReferenceError", error_message: "paidd is not defined" },
  ],
  ["no error at all", "thrown", { error: "string" }],
])("of %s, the log has the name, the service's own code and words, and frames without the message", (_, thrown, fields) => {
  const logged = faultFields(thrown);
  expect(logged).toMatchObject(fields);
  if (thrown instanceof Error) expect(logged.stack).toMatch(/^ {4}at /);
  expect(String(logged.stack)).not.toContain("secret");
});

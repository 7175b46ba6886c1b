import { expect, test } from "vitest";
import { isTransientError } from "../../shared/table/retry.ts";

const coded = (code: unknown) => Object.assign(new Error("stopped"), { code });

test.each([
  ["a lost connection", coded("ECONNRESET"), true],
  ["a connection that the HTTP client gave up", coded("UND_ERR_SOCKET"), true],
  ["an answer of AWS", Object.assign(new Error("no"), { $metadata: {} }), true],
  ["several failed addresses", new AggregateError([]), true],
  [
    "an item that the table refuses",
    Object.assign(new Error("no"), { name: "ValidationException", $metadata: {} }),
    false,
  ],
  ["a wrong argument of Node's", coded("ERR_INVALID_ARG_TYPE"), false],
  ["a code that is a number", coded(7), false],
  ["an error of the code", new TypeError("no"), false],
  ["what is no error", "ECONNRESET", false],
])("%s is a passing cause or none", (_, error, isTransient) => {
  expect(isTransientError(error)).toBe(isTransient);
});

import { expect, test } from "vitest";
import { heldBackBy } from "../../shared/people/message-limits.ts";

const message = { channel: "sms", perDay: 100, client: "client", registers: false } as const;
const count = (n: number) => ({ n, registrations: 0 });

test.each([
  ["sent as the 20th of its client, up to nine tenths of the stage's", 19, 89, undefined],
  ["held back by the stage from there on", 19, 90, "stage"],
  ["sent as the 21st, up to six tenths", 20, 59, undefined],
  ["held back by its client from there on", 20, 60, "client"],
])("D11: a message without a proof is %s", (_, ofClient, ofStage, expected) => {
  expect(heldBackBy(message, count(ofClient), count(ofStage))).toBe(expected);
});

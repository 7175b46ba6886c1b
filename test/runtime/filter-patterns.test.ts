import { expect, it, test } from "vitest";
import { streamFilters } from "../../infra/functions/stream-filters.ts";
import { matchesAny } from "../../infra/runtime/filter-patterns.ts";

const event = {
  eventName: "MODIFY",
  dynamodb: { Keys: { sk: { S: "INVOICE" } }, NewImage: { push: { BOOL: true }, gone: { NULL: true } } },
  amount: 5,
  tags: ["a", "b"],
  nothing: null,
  people: [{ name: "Ann" }, { name: "Ben", age: 7 }],
};

it.each([
  ["a value of the list", { eventName: ["INSERT", "MODIFY"] }, true],
  ["no value of the list", { eventName: ["INSERT"] }, false],
  ["every field of the pattern", { eventName: ["MODIFY"], dynamodb: { Keys: { sk: { S: ["INVOICE"] } } } }, true],
  ["only one of two fields", { eventName: ["MODIFY"], dynamodb: { Keys: { sk: { S: ["JOB"] } } } }, false],
  ["a beginning", { dynamodb: { Keys: { sk: { S: [{ prefix: "INV" }] } } } }, true],
  ["the empty beginning, which every text has", { eventName: [{ prefix: "" }] }, true],
  ["the empty beginning of a number", { amount: [{ prefix: "" }] }, false],
  ["a value that is there", { dynamodb: { NewImage: { push: { BOOL: [{ exists: true }] } } } }, true],
  ["a value that is missing", { dynamodb: { NewImage: { silent: { BOOL: [{ exists: false }] } } } }, true],
  ["a value missing with all above it", { dynamodb: { OldImage: { silent: { BOOL: [{ exists: false }] } } } }, true],
  ["a value that ought to be missing", { dynamodb: { NewImage: { push: { BOOL: [{ exists: false }] } } } }, false],
  ["existence of what only holds fields", { dynamodb: [{ exists: true }] }, false],
  ["a boolean, not its name", { dynamodb: { NewImage: { push: { BOOL: ["true"] } } } }, false],
  ["null, which is a value", { nothing: [null] }, true],
  ["null that is there", { nothing: [{ exists: true }] }, true],
  ["a field of null", { nothing: { name: ["Ann"] } }, false],
  ["one of several values", { tags: ["b"] }, true],
  ["both fields of one of several", { people: { name: ["Ben"], age: [7] } }, true],
  ["two fields that none of several has both of", { people: { name: ["Ann"], age: [7] } }, false],
  ["no field that every object has", { constructor: [{ exists: true }] }, false],
])("a pattern matches by %s", (_, pattern, expected) => {
  expect(matchesAny(event, [pattern])).toBe(expected);
});

test("of several patterns one is enough; of none, none matches", () => {
  expect(matchesAny(event, [{ eventName: ["INSERT"] }, { amount: [5] }])).toBe(true);
  expect(matchesAny(event, [])).toBe(false);
});

test("an operator that AWS has and the local machine has not is a fault, not a mismatch", () => {
  expect(() => matchesAny(event, [{ eventName: [{ wildcard: "M*" }] }])).toThrow("wildcard");
});

function change(eventName: string, sk: string, image: object = {}) {
  const NewImage = eventName === "REMOVE" ? {} : { NewImage: { pk: { S: "x" }, ...image } };
  return { eventName, dynamodb: { Keys: { pk: { S: "x" }, sk: { S: sk } }, ...NewImage } };
}

test.each([
  "INVOICE",
  "TIMESHEET",
  "JOB",
])("keep-history is given every change of a record %s, and notify its writes", (sk) => {
  for (const name of ["INSERT", "MODIFY", "REMOVE"]) {
    expect(matchesAny(change(name, sk), streamFilters["keep-history"]), name).toBe(true);
    expect(matchesAny(change(name, sk), streamFilters.notify), name).toBe(name !== "REMOVE");
  }
});

test("D41: keep-history is given users, and of sessions their ends alone", () => {
  for (const name of ["INSERT", "MODIFY", "REMOVE"]) {
    expect(matchesAny(change(name, "USER"), streamFilters["keep-history"]), name).toBe(true);
  }
  const ended = { valid_to: { S: "1970-01-01T00:00:00.000Z" } };
  expect(matchesAny(change("MODIFY", "SESSION#zz1", ended), streamFilters["keep-history"])).toBe(true);
  const renewed = { valid_to: { S: "2026-06-01T09:00:00.000Z" } };
  for (const name of ["INSERT", "MODIFY"]) {
    expect(matchesAny(change(name, "SESSION#zz1", renewed), streamFilters["keep-history"]), name).toBe(false);
  }
  expect(matchesAny(change("REMOVE", "SESSION#zz1"), streamFilters["keep-history"])).toBe(false);
});

test("D25: notify is given users, and nothing that was written silently", () => {
  expect(matchesAny(change("INSERT", "USER"), streamFilters.notify)).toBe(true);
  expect(matchesAny(change("INSERT", "INVOICE", { silent: { BOOL: true } }), streamFilters.notify)).toBe(false);
});

test("D29: notify is given new notifications that are to be pushed, once", () => {
  const push = { push: { BOOL: true } };
  expect(matchesAny(change("INSERT", "NOTIFICATION#0000000000000001", push), streamFilters.notify)).toBe(true);
  expect(matchesAny(change("INSERT", "NOTIFICATION#0000000000000001"), streamFilters.notify)).toBe(false);
  const again = change("MODIFY", "NOTIFICATION#0000000000000001", push);
  expect(matchesAny(again, streamFilters.notify)).toBe(false);
  const removed = { removed_at: { S: "2026-05-10T12:00:00.000Z" } };
  expect(matchesAny({ ...again, dynamodb: { ...again.dynamodb, OldImage: removed } }, streamFilters.notify)).toBe(true);
});

test.each([
  "ALL#00",
  "2026-05#11",
  "COUNTS",
  "EVENT#1",
  "PUSH#1",
  "PIN",
  "SESSION#1",
  "IDEMPOTENCY",
  "1767225600.0000000000000000000000000000000000000042.1",
  "1767225600.0000000000000000000000000000000000000042.1#INVOICE#7",
  "1747225600001#01a2078b-0f12-703d-8df0-a1240058d81e",
])("no consumer is given the items %s, which consumers and requests write", (sk) => {
  for (const filters of Object.values(streamFilters)) {
    expect(matchesAny(change("INSERT", sk, { push: { BOOL: true } }), filters)).toBe(false);
  }
});

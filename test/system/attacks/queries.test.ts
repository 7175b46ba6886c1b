import { beforeAll, describe, expect, test } from "vitest";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call, eventOf } from "../../support/requests/call.ts";
import { allowedUser, endpoints } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";

useService();
beforeAll(() => store([userLine(900)]));

const names = [
  "by_state",
  "from_date",
  "to_date",
  "by_company",
  "by_number",
  "page",
  "per_page",
  "cursor",
  "login",
  "pin",
];

describe.each(endpoints)("$name", ({ operation, handler, sample }) => {
  const user = allowedUser(operation);
  const as = user && { as: user };

  test("D33: 414: a query string above 4 KiB is refused, before the token is looked at", async () => {
    const query = { ...sample.query, padding: "x".repeat(4_096) };
    expectProblem(await call(handler, operation, { ...sample, query }), 414, "query_too_long");
  });

  test("no text in any parameter ends in a 5xx", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("%", "%zz", "\u0000", "\ud800", "NaN", "-1", "1e999"),
    );
    const record = fc.record(Object.fromEntries(names.map((name) => [name, text])), { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(record, async (query) => {
        const answer = await call(handler, operation, { ...sample, ...as, query });
        expect(answer.status).toBeLessThan(500);
        if (answer.status !== 200) expectProblem(answer, answer.status, answer.body.code);
      }),
      { numRuns: usualOrFull(20, 60) },
    );
  });

  test("an event without query, headers' usual case or body is answered, not failed", async () => {
    const event = await eventOf(operation, { ...as });
    const headers = Object.fromEntries(
      Object.entries(event.headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const answer = await handler({ ...event, headers, body: null }, {} as never);
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.statusCode).not.toBe(401);
  });
});

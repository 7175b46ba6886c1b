import { beforeAll, describe, expect, test } from "vitest";
import { parameterNames, roles } from "../../../shared/contract/operation.ts";
import { callerLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call, eventOf } from "../../support/requests/call.ts";
import { allowedUser, endpoints, userOf } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";

useService();
beforeAll(async () => {
  await store([userLine(900)]);
  for (const { operation } of endpoints) {
    const user = allowedUser(operation);
    if (user) await store([callerLine(user)]);
  }
});

const names = [...new Set(endpoints.flatMap(({ operation }) => parameterNames(operation)))];

describe.each(endpoints)("$name", ({ operation, handler, sample }) => {
  const user = allowedUser(operation);
  const as = user && { as: user };

  test("D33: 414: a query string above 4 KiB is refused, before the token is looked at", async () => {
    const query = { ...sample.query, padding: "x".repeat(4_096) };
    expectProblem(await call(handler, operation, { ...sample, query }), 414, "query_too_long");
  });

  test("D22: a parameter that it does not know is refused, after the token and the role", async () => {
    const query = { ...sample.query, colour: "red" };
    expectProblem(await call(handler, operation, { ...sample, ...as, query }), 422, "unknown_parameter");
    if (operation.access === "anyone") return;
    expectProblem(await call(handler, operation, { ...sample, query }), 401, "token_missing");
    const other = roles.find((role) => operation.access !== "anyone" && !operation.access.includes(role));
    if (other === undefined) return;
    expectProblem(await call(handler, operation, { ...sample, as: userOf(other), query }), 403, "role_not_allowed");
  });

  test.each([
    ["its own parameters", parameterNames(operation)],
    ["any operation's parameters", names],
  ])(
    "no text in %s ends in a 5xx",
    async (_, names) => {
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
        { numRuns: usualOrFull(8, 60, 20) },
      );
    },
    120_000,
  );

  test("an event without query, headers' usual case or body is answered, not failed", async () => {
    if (user) await store([callerLine(user)]);
    const event = await eventOf(operation, { ...as });
    const headers = Object.fromEntries(
      Object.entries(event.headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const answer = await handler({ ...event, headers, body: null }, {} as never);
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.statusCode).not.toBe(401);
  });
});

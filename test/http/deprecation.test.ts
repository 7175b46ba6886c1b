import { expect, test } from "vitest";
import { handler } from "../../functions/accounts/confirm-login.ts";
import { confirmLogin } from "../../shared/contract/accounts.ts";
import { operations } from "../../shared/contract/operations.ts";
import { isCalendarDate } from "../../shared/contract/values.ts";
import { Refusal } from "../../shared/domain/refusal.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { call } from "../support/requests/call.ts";
import { resolvedOpenApi } from "../support/requests/described-answers.ts";
import { useService } from "../support/service/service.ts";
import { sample } from "./sample-operation.ts";

useService();

const going = { ...sample, deprecation: { since: "2026-11-22", sunset: "2027-05-31" } };
const announced = { deprecation: "@1795305600", sunset: "Mon, 31 May 2027 00:00:00 GMT" };

test.each([
  ["is carried out", 200, async () => ({ shown: "yes" })],
  ["is refused", 404, async () => Promise.reject(new Refusal("record_not_found", "Not there"))],
  ["fails", 500, async () => Promise.reject(new Error("broken"))],
])("a request of a deprecated operation that %s is answered with Deprecation and Sunset", async (_, status, work) => {
  const answer = await call(anonymous(going, work), sample);
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject(announced);
});

test("without an end there is no Sunset, and without a deprecation none of both", async () => {
  const work = async () => ({ shown: "yes" });
  const { headers } = await call(anonymous({ ...sample, deprecation: { since: "2026-11-22" } }, work), sample);
  expect([headers.deprecation, headers.sunset]).toEqual([announced.deprecation, undefined]);
  const other = await call(anonymous(sample, work), sample);
  expect(other.headers.deprecation ?? other.headers.sunset).toBeUndefined();
});

test("D13: confirming by GET is deprecated, as the POST has no secret in its URL", async () => {
  const query = { login: "nobody@example.com", pin: "000000" };
  const { status, headers } = await call(handler, confirmLogin, { query });
  expect([status, headers.deprecation]).toEqual([422, announced.deprecation]);
});

test("a deprecation names days of the calendar, its end comes after it, and the document says it", () => {
  const deprecated = operations.filter(({ deprecation, supersededBy }) => deprecation ?? supersededBy);
  expect(deprecated.map(({ name }) => name)).toEqual(["confirm-login"]);
  for (const { deprecation, supersededBy, path, method } of deprecated) {
    expect(operations.map(({ name }) => name)).toContain(supersededBy);
    expect(deprecation).toBeDefined();
    const { since = "", sunset = "9999-12-31" } = deprecation ?? {};
    expect([since, sunset].every(isCalendarDate)).toBe(true);
    expect(sunset > since).toBe(true);
    const described = resolvedOpenApi.paths[path][method.toLowerCase()];
    expect(described.deprecated).toBe(true);
    expect(Object.keys(described.responses["200"].headers)).toContain("deprecation");
  }
});

import { describe, expect, test } from "vitest";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { call, type TestRequest } from "../../support/requests/call.ts";
import { allowedUser, endpoints, userOf } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { anyText, fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";

useService();

const malformed = [
  "{",
  "",
  "[1,2",
  "{'a':1}",
  '{"a":1}x',
  "\u0000",
  '{"a":\ud800}',
  "undefined",
  `{"${"a".repeat(99)}`,
];
const otherTypes = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];

/** Bodies are read by one chain for all operations. */
const sendAny = (request: TestRequest) => call(signInHandler, signIn, request);

test("400: what is no JSON changes nothing", async () => {
  for (const body of malformed) expectProblem(await sendAny({ body }), 400, ["malformed_json", "body_object_missing"]);
});

test("415: a content type other than JSON is refused", async () => {
  const withType = async (type: string) => sendAny({ body: { user: {} }, headers: { "content-type": type } });
  for (const type of [...otherTypes, "application/jsonp", ""]) {
    expectProblem(await withType(type), 415, "media_type_not_supported");
  }
  for (const type of ["application/json ; charset=utf-8", "APPLICATION/JSON", "application/vnd.api+json"]) {
    expect((await withType(type)).status).not.toBe(415);
  }
});

test("a byte order mark before the JSON is left out, one alone and no second one", async () => {
  const body = JSON.stringify({ user: {} });
  for (const isBase64Encoded of [false, true]) {
    const sent = (text: string) =>
      sendAny({ body: isBase64Encoded ? Buffer.from(text).toString("base64") : text, isBase64Encoded });
    expectProblem(await sent(`\uFEFF${body}`), 422, "fields_invalid");
    expectProblem(await sent(`\uFEFF\uFEFF${body}`), 400, "malformed_json");
  }
});

test("D33: a body of just 256 KiB is read; 413: a larger one, in plain text and in base64", async () => {
  const frame = JSON.stringify({ user: { padding: "" } }).length;
  const body = JSON.stringify({ user: { padding: "x".repeat(256 * 1024 - frame) } });
  expect((await sendAny({ body })).status).not.toBe(413);
  expectProblem(await sendAny({ body: `${body} ` }), 413, "body_too_large");
  const encoded = Buffer.from(`${body} `).toString("base64");
  expectProblem(await sendAny({ body: encoded, isBase64Encoded: true }), 413, "body_too_large");
});

describe.each(endpoints.filter(({ operation }) => operation.body))("$name", ({ operation, handler, sample }) => {
  const object = operation.body?.object ?? "";
  const user = allowedUser(operation);
  const send = (request: TestRequest) => call(handler, operation, { ...(user && { as: user }), ...request });

  test("400: a body without the outer object is body_object_missing, also none at all", async () => {
    expectProblem(await send({}), 400, "body_object_missing");
    const inner = [null, [], "x"].map((value) => ({ [object]: value }));
    for (const body of [null, [], "text", 7, {}, { other: {} }, ...inner]) {
      const answer = await send({ body: JSON.stringify(body) });
      expectProblem(answer, 400, "body_object_missing");
      expect(answer.body.errors).toEqual([{ pointer: `/${object}`, code: "missing", detail: expect.any(String) }]);
    }
  });

  test("D31: a request that is wrong in every way is corrected one check at a time", async () => {
    const [huge, plain] = ["x".repeat(300_000), { "content-type": "text/plain" }];
    const sendAs = (request: TestRequest) => call(handler, operation, request);
    expectProblem(await sendAs({ body: huge, headers: plain }), 413, "body_too_large");
    if (operation.access !== "anyone") {
      expectProblem(await sendAs({ body: "{", headers: plain }), 401, "token_missing");
    }
    if (operation.access !== "anyone" && !operation.access.includes("driver")) {
      expectProblem(await sendAs({ as: userOf("driver"), body: "{", headers: plain }), 403, "role_not_allowed");
    }
    expectProblem(await send({ body: "{", headers: plain }), 415, "media_type_not_supported");
    expectProblem(await send({ body: "{" }), 400, "malformed_json");
    expectProblem(await send({ body: { [object]: {} } }), 422, "fields_invalid");
  });

  test("fields nobody knows are ignored, also those named like properties of objects", async () => {
    const fields = JSON.stringify({ ...(sample.body as Record<string, object>)[object], colour: "red" });
    const poison = '"__proto__":{"role":"admin"},"constructor":{"prototype":{"role":"admin"}}';
    const answer = await send({ body: `{${poison},"${object}":{${poison},${fields.slice(1)}}` });
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.code).not.toBe("malformed_json");
    expect(JSON.stringify(answer.body)).not.toMatch(/colour|__proto__/);
    expect({}).not.toHaveProperty("role");
  });

  test("a deeply nested body and a body of 50,000 wrong ids are refused quickly, with at most 20 errors", async () => {
    const nested = `{"${object}":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
    const keys = ["timesheet_ids", "job_ids", "login", "token"];
    const wrong = Object.fromEntries(keys.map((key) => [key, Array.from({ length: 50_000 }, () => -1.5)]));
    const before = process.cpuUsage();
    for (const body of [nested, { [object]: wrong }]) {
      const answer = await send({ body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.body.code).not.toBe("malformed_json");
      expect(answer.body.errors?.length ?? 0).toBeLessThanOrEqual(20);
    }
    // Of the processor: other work on the machine does not count.
    const { user: own, system } = process.cpuUsage(before);
    expect((own + system) / 1_000).toBeLessThan(2_000);
  });

  test("no JSON value in any field ends in a 5xx or in an answer that is no problem document", async () => {
    const fields = Object.keys((sample.body as Record<string, object>)[object] ?? {});
    const value = fc.oneof(fc.jsonValue(), anyText(), fc.double(), fc.maxSafeInteger());
    const record = fc.record(Object.fromEntries(fields.map((name) => [name, value])), { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(record, async (candidate) => {
        const answer = await send({ body: { [object]: candidate } });
        expect(answer.status).toBeLessThan(500);
        if (answer.status !== 200) expectProblem(answer, answer.status, answer.body.code);
      }),
      { numRuns: usualFreshOrFull(10, 60, 150) },
    );
  });
});

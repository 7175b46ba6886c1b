import { describe, expect, test } from "vitest";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { forbiddenNames } from "../../../shared/contract/refusals.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { call, type TestRequest } from "../../support/requests/call.ts";
import { allowedUser, endpoints, userOf } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
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

test("415: a body in another charset than UTF-8 is never read, and the answer says what would be", async () => {
  const withType = async (type: string) => sendAny({ body: { user: {} }, headers: { "content-type": type } });
  const others = [
    "utf-16",
    "iso-8859-1",
    "windows-1252",
    "us-ascii",
    "",
    '"utf-16"',
    "'utf-8'",
    "utf-8; charset=utf-16",
  ];
  for (const charset of others) {
    for (const start of ["application/json;charset=", "application/json ; Version=1 ; Charset = "]) {
      const answer = await withType(`${start}${charset}`);
      expectProblem(answer, 415, "media_type_not_supported");
      expect(answer.body.detail).toBe("Send the body as application/json, in UTF-8 and without a content encoding");
    }
  }
  for (const charset of ["utf-8", "UTF-8", '"Utf-8"', "utf8", "utf-8; version=1", "utf-8;"]) {
    expectProblem(await withType(`application/json ;charset=${charset}`), 422, "fields_invalid");
  }
});

test("415: a compressed body is never read", async () => {
  const withEncoding = (encoding: string) => sendAny({ body: { user: {} }, headers: { "content-encoding": encoding } });
  for (const encoding of ["gzip", "br", "deflate", "gzip, identity", "x", ""]) {
    expectProblem(await withEncoding(encoding), 415, "media_type_not_supported");
  }
  for (const encoding of ["identity", "Identity "]) expectProblem(await withEncoding(encoding), 422, "fields_invalid");
});

test("400: bytes that are no UTF-8 are refused, wherever they stand, after the type and before the object", async () => {
  const text = '{"user":{"login":"Jos\u00e9","password":"x"}}';
  const bytes = {
    latin1: Buffer.from(text, "latin1"),
    utf16: Buffer.from(`\ufeff${text}`, "utf16le"),
    halfACharacter: Buffer.from(text).subarray(0, Buffer.from(text).indexOf(0xa9)),
    tooLong: Buffer.concat([Buffer.from('{"user":{"login":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}}')]),
    beside: Buffer.concat([Buffer.from('{"other":"'), Buffer.from([0xff]), Buffer.from('"}')]),
  };
  for (const [name, sent] of Object.entries(bytes)) {
    const answer = await sendAny({ body: sent.toString("base64"), isBase64Encoded: true });
    expectProblem(answer, 400, "malformed_json");
    expect(answer.body.detail, name).toBe("The body is not UTF-8 text");
    const headers = { "content-type": "text/plain" };
    const other = await sendAny({ body: sent.toString("base64"), isBase64Encoded: true, headers });
    expectProblem(other, 415, "media_type_not_supported");
  }
});

test("D33: a body of 32 levels is read, and one of more is refused; brackets in texts do not count", async () => {
  const lists = (levels: number, inner: string) => `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`;
  const nested = (levels: number) => lists(levels - 20, `${'{"a":['.repeat(10)}1${"]}".repeat(10)}`);
  const sent = (levels: number) => sendAny({ body: `{"user":{"deep":${nested(levels)},"b":"${"{[".repeat(99)}"}}` });
  expect((await sent(30)).body.errors).not.toContainEqual(expect.objectContaining({ pointer: "/user" }));
  for (const levels of [31, 32]) {
    const answer = await sent(levels);
    expectProblem(answer, 422, "fields_invalid");
    expect(answer.body.errors).toEqual([{ pointer: "/user", code: "invalid", detail: "must have at most 32 levels" }]);
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
    const poison = '"toString":{"role":"admin"},"hasOwnProperty":{"valueOf":{"role":"admin"}}';
    const answer = await send({ body: `{${poison},"${object}":{${poison},${fields.slice(1)}}` });
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.code).not.toBe("malformed_json");
    expect(JSON.stringify(answer.body)).not.toMatch(/colour|toString|valueOf/);
    expect({}).not.toHaveProperty("role");
  });

  test("D33, 422: forbidden names are refused by their places, at any depth", async () => {
    const fields = JSON.stringify((sample.body as Record<string, object>)[object]).slice(1);
    const values = ['{"role":"admin"}', "null", '"x"'];
    for (const name of forbiddenNames) {
      for (const value of values) {
        for (const [body, pointer] of [
          [`{"${name}":${value},"${object}":{${fields}}`, `/${name}`],
          [`{"${object}":{"${name}":${value},${fields}}`, `/${object}/${name}`],
          [`{"${object}":{"a":[1,{"b":{"${name}":${value}}}],${fields}}`, `/${object}/a/1/b/${name}`],
        ] as const) {
          const answer = await send({ body });
          expectProblem(answer, 422, "fields_invalid");
          const detail = "is a name that no field may have";
          expect(answer.body.errors).toEqual([{ pointer, code: "not_allowed", detail }]);
          const line = loggedLines.findLast((each) => each.includes('"answered"'));
          expect(JSON.parse(line ?? "")).toMatchObject({ code: "fields_invalid", fields: [name] });
        }
      }
      expectProblem(await send({ body: `{"${name}":{},"other":{}}` }), 400, "body_object_missing");
    }
    expect({}).not.toHaveProperty("role");
  });

  test("no answer and no line of the log repeats a secret of a body that cannot be read", async () => {
    const [password, pin] = ["Quiet harbours, 7 of them", "048213"];
    const secrets = { password, pin, passcode: pin, [password]: { [pin]: [pin] } };
    const text = JSON.stringify({ [object]: secrets, [password]: pin });
    const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xff])]).toString("base64");
    const typed = { "content-type": `application/json; charset=${password}` };
    const broken: TestRequest[] = [
      ...[text.slice(0, -1), `${text}x`, `\uFEFF\uFEFF${text}`, JSON.stringify(text), "{", ""].map((body) => ({
        body,
      })),
      ...forbiddenNames.flatMap((name) => [
        { body: text.replace("{", `{"${name}":"${password}",`) },
        { body: text.replace(`[${JSON.stringify(pin)}]`, `{"${name}":{"prototype":"${pin}"}}`) },
        { body: `{"${object}":{"${password}":{"${name}":"${pin}"}}}` },
      ]),
      { body: text.replace(`[${JSON.stringify(pin)}]`, `${"[".repeat(99)}"${pin}"${"]".repeat(99)}`) },
      { body: JSON.stringify({ [password]: pin }) },
      { body: bytes, isBase64Encoded: true },
      { body: text, headers: { "content-type": "text/plain" } },
      { body: text, headers: { "content-encoding": password } },
      { body: text, headers: typed },
    ];
    loggedLines.splice(0);
    for (const request of broken) {
      const answer = await send(request);
      expect([400, 415, 422]).toContain(answer.status);
      expect(JSON.stringify(answer)).not.toMatch(/Quiet harbours|048213/);
    }
    expect(loggedLines.length).toBeGreaterThanOrEqual(broken.length);
    expect(loggedLines.join("")).not.toMatch(/Quiet harbours|048213/);
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

import * as v from "valibot";
import { expect, test, vi } from "vitest";
import { anonymous } from "../../shared/http/endpoint.ts";
import { call } from "../support/requests/call.ts";
import { loggedLines } from "../support/service/capture-logs.ts";
import { sample } from "./sample-operation.ts";

test("D31: a fault says only its code and request id; what was thrown stays in the log, without what it quotes", async () => {
  loggedLines.length = 0;
  const handler = anonymous(sample, async () => JSON.parse('{"login":"ines@example.com"'));
  const answer = await call(handler, sample);
  expect(answer.status).toBe(500);
  expect(loggedLines.filter((line) => line.includes('"timestamp"'))).toHaveLength(1);
  expect(answer.body).toEqual({
    type: "urn:workforce:problem:internal_error",
    title: "Internal error",
    status: 500,
    instance: "/sample",
    code: "internal_error",
    request_id: expect.any(String),
  });
  const logged = loggedLines.join("");
  expect(logged).toContain(answer.body.request_id);
  expect(logged).toContain("SyntaxError");
  expect(logged).toContain('"message":"fault"');
  for (const line of loggedLines) expect(JSON.parse(line), line).toMatchObject({ operation: "sample" });
  expect(logged).not.toContain("ines@example.com");
});

test("D18, D31: a throttled call of AWS is 503 busy with Retry-After, and the log has AWS's name for it, not its words", async () => {
  loggedLines.length = 0;
  const thrown = Object.assign(new Error("Table wf-1 is throttled"), {
    name: "ProvisionedThroughputExceededException",
  });
  const answer = await call(
    anonymous(sample, () => Promise.reject(thrown)),
    sample,
  );
  expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1" }, body: { code: "busy" } });
  expect(answer.body.detail).toBeUndefined();
  const [line = ""] = loggedLines.filter((each) => each.includes('"timestamp"') && !each.startsWith('{"_aws":'));
  expect(JSON.parse(line)).toMatchObject({
    level: "info",
    message: "answered",
    status: 503,
    code: "busy",
    error: "ProvisionedThroughputExceededException",
  });
  expect(loggedLines.join("")).not.toContain("wf-1");
});

test("an answer keeps only the fields of the contract", async () => {
  const handler = anonymous(sample, async () => ({ shown: "yes", password_hash: "secret" }));
  expect((await call(handler, sample)).body).toEqual({ shown: "yes" });
});

test("an answer that breaks the contract is a fault, not a wrong answer", async () => {
  const handler = anonymous(sample, async () => ({ shown: 7 }) as unknown as { shown: string });
  expect((await call(handler, sample)).status).toBe(500);
});

test("every answer carries its request id and is kept by no cache", async () => {
  const { headers } = await call(
    anonymous(sample, async () => ({ shown: "yes" })),
    sample,
  );
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.any(String),
  });
});

test("one line is logged a request, at its end, with its id, status and time", async () => {
  loggedLines.length = 0;
  await call(
    anonymous(sample, async () => ({ shown: "yes" })),
    sample,
  );
  const request_id = expect.any(String);
  const figures = { timestamp: expect.any(String), duration_ms: expect.any(Number) };
  expect(loggedLines.map((line) => JSON.parse(line))).toEqual([
    { level: "info", message: "answered", operation: "sample", status: 200, request_id, ...figures },
  ]);
});

test("the line of a refused request names the fields of the contract, and neither values nor a caller's own names", async () => {
  vi.stubEnv("UNKNOWN_PARAMETERS", "refuse");
  const paged = { ...sample, query: v.object({ page: v.pipe(v.string(), v.regex(/^\d+$/)) }) };
  const handler = anonymous(paged, async () => ({ shown: "yes" }));
  const lineOf = async (query: Record<string, string>) => {
    loggedLines.length = 0;
    expect((await call(handler, paged, { query })).status).toBe(422);
    return loggedLines.map((line) => JSON.parse(line)).find(({ message }) => message === "answered");
  };
  expect(await lineOf({ page: "hunter2" })).toMatchObject({ code: "fields_invalid", fields: ["page"] });
  const { code, fields } = await lineOf({ page: "1", hunter2: "x" });
  expect([code, fields]).toEqual(["unknown_parameter", undefined]);
  expect(loggedLines.join("")).not.toContain("hunter2");
});

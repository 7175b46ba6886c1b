import { beforeAll, describe, expect, test } from "vitest";
import { listInvoices } from "../../shared/contract/finance.ts";
import { operations } from "../../shared/contract/operations.ts";
import { anonymous, authenticated } from "../../shared/http/endpoint.ts";
import { invoiceLine, jobLine, notificationLine, timesheetLine, userLine } from "../support/records/records.ts";
import { openTestSession } from "../support/records/sessions.ts";
import { store } from "../support/records/store.ts";
import { call, type TestRequest } from "../support/requests/call.ts";
import { allowedUser, endpoints, userOf } from "../support/requests/every-operation.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { useService } from "../support/service/service.ts";
import { sample } from "./sample-operation.ts";

useService();

beforeAll(async () => {
  await store([
    userLine(900),
    ...[1, 2].flatMap((id) => [timesheetLine, invoiceLine, jobLine].map((line) => line(id, 1))),
    notificationLine(1, 900),
  ]);
  await openTestSession(900);
});

const conditional = endpoints.filter(({ operation }) => operation.conditional);

test("D43: the lists, the profile and the counts have an ETag, and no other operation", () => {
  // Cursors of changes are encrypted: a page that is the same has another one each time.
  const otherEachTime = "list-changes";
  const named = ["get-profile", "get-unread-counts", ...operations.flatMap(listsOf)];
  expect(conditional.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
  function listsOf({ name, method, list }: (typeof operations)[number]): string[] {
    return list !== undefined && method === "GET" && name !== otherEachTime ? [name] : [];
  }
});

describe.each(conditional)("D43: $name", ({ operation, handler, sample: { query, parameters } }) => {
  const as = allowedUser(operation) ?? userOf("admin");
  const send = (headers: Record<string, string> = {}, more: TestRequest = {}) =>
    call(handler, operation, { as, query, parameters, headers, ...more });

  test("has a strong ETag, is private to its user and asked for again each time", async () => {
    const { status, headers } = await send();
    expect(status).toBe(200);
    expect(headers.etag).toMatch(/^"[\w-]{27}"$/);
    expect(headers).toMatchObject({ "cache-control": "private, no-cache", vary: "Authorization, Origin" });
    expect((await send()).headers.etag).toBe(headers.etag);
  });

  test("is a 304 without a body while If-None-Match names its ETag, strong or weak, among others, or any", async () => {
    const { etag = "" } = (await send()).headers;
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b" ,W/${etag},"c"`, "*"]) {
      const { status, headers, body } = await send({ "if-none-match": condition });
      expect({ condition, status, body }).toEqual({ condition, status: 304, body: null });
      expect(headers).toMatchObject({ etag, "cache-control": "private, no-cache", vary: "Authorization, Origin" });
      for (const name of ["total", "link", "per-page"]) expect(headers[name]).toBeUndefined();
    }
  });

  test("is a 200 where If-None-Match names another ETag, or is none", async () => {
    const { etag = "" } = (await send()).headers;
    for (const condition of ['"other"', etag.slice(1, -1), `${etag.slice(0, -2)}"`, "", "W/", '"*"', `"${etag}`]) {
      expect((await send({ "if-none-match": condition })).status, condition).toBe(200);
    }
    const statusOf = async (length: number) => (await send({ "if-none-match": etag.padEnd(length) })).status;
    expect([await statusOf(4_096), await statusOf(4_097)]).toEqual([304, 200]);
  });

  test("is refused without a token or the role, whatever If-None-Match says", async () => {
    const any = { "if-none-match": "*" };
    const refused = await send(any, { as: undefined as never });
    expectProblem(refused, 401, "token_missing");
    expect(refused.headers).toMatchObject({ "cache-control": "no-store" });
    expect(refused.headers.etag).toBeUndefined();
    const bad = await send({ ...any, authorization: "Bearer garbage" }, { as: undefined as never });
    expectProblem(bad, 401, "token_invalid");
    if (!operation.access.includes("driver")) {
      expectProblem(await send(any, { as: userOf("driver") }), 403, "role_not_allowed");
    }
  });
});

test("D43: every other answer is kept by no cache and varies by nothing, whatever If-None-Match says", async () => {
  for (const { operation, handler, sample: request } of endpoints) {
    if (operation.conditional || operation.cacheSeconds) continue;
    const as = allowedUser(operation);
    const answer = await call(handler, operation, { ...request, ...(as && { as }), headers: { "if-none-match": "*" } });
    expect(answer.headers["cache-control"], operation.name).toBe("no-store");
    expect(answer.headers.etag ?? answer.headers.vary, operation.name).toBeUndefined();
    expect(answer.status, operation.name).not.toBe(304);
  }
});

describe("D43: the ETag", () => {
  let page = {
    items: [] as never[],
    total: 1,
    place: { number: 1, perPage: 20, nextCursor: undefined as string | undefined },
  };
  const handler = authenticated(listInvoices, async () => page);
  const answer = () => call(handler, listInvoices, { as: userOf("admin") });

  test("follows total and Link", async () => {
    const { etag = "" } = (await answer()).headers;
    const again = await call(handler, listInvoices, { as: userOf("admin"), headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
    page = { ...page, total: 2 };
    const { etag: ofTotal } = (await answer()).headers;
    expect(ofTotal).not.toBe(etag);
    page = { ...page, total: 40, place: { ...page.place, nextCursor: "one" } };
    const first = (await answer()).headers.etag;
    page = { ...page, place: { ...page.place, nextCursor: "two" } };
    expect((await answer()).headers.etag).not.toBe(first);
  });

  test("is not made of what fails", async () => {
    const broken = anonymous({ ...sample, conditional: true }, async () => {
      throw new Error("broken");
    });
    const { status, headers } = await call(broken, sample, { headers: { "if-none-match": "*" } });
    expect({ status, etag: headers.etag, cached: headers["cache-control"] }).toEqual({
      status: 500,
      etag: undefined,
      cached: "no-store",
    });
  });
});

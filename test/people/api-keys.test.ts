import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as profileHandler } from "../../functions/accounts/get-profile.ts";
import { handler as createHandler } from "../../functions/api-keys/create-api-key.ts";
import { handler as deleteHandler } from "../../functions/api-keys/delete-api-key.ts";
import { handler as listHandler } from "../../functions/api-keys/list-api-keys.ts";
import { getProfile } from "../../shared/contract/accounts.ts";
import { createApiKey, deleteApiKey, listApiKeys } from "../../shared/contract/api-keys.ts";
import { useNetwork } from "../support/faults/network.ts";
import { callerLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { bearer, deleteKey, keyOf } from "../support/requests/api-keys.ts";
import { call } from "../support/requests/call.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";
import type { TestUser } from "../support/tokens/tokens.ts";

useService();
const network = useNetwork();
let user: TestUser = { id: 100, role: "operator", company_id: 1 };
let key: Awaited<ReturnType<typeof keyOf>>;

beforeEach(async () => {
  user = { ...user, id: user.id + 1 };
  await store([callerLine(user)]);
  key = await keyOf(user.id);
  network.reset();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const callWith = (secret: string) => call(profileHandler, getProfile, { headers: bearer(secret) });
const changed = (secret: string, at: number) =>
  `${secret.slice(0, at)}${secret.at(at) === "A" ? "B" : "A"}${secret.slice(at + 1)}`;

test("D46: a key is its user, and its log lines name it beside the user", async () => {
  const { status, body } = await callWith(key.secret);
  expect([status, body.user.id]).toEqual([200, user.id]);
  expect(JSON.parse(loggedLines.at(-1) ?? "")).toMatchObject({ user_id: user.id, key_id: key.id, status: 200 });
  expect(loggedLines.join("")).not.toContain(key.secret.slice(-43));
});

/** Secrets that are known to be none without a look at the table. */
const malformed: Record<string, (secret: string) => string> = {
  "of another stage": (secret) => changed(secret, 4),
  "with a letter too few": (secret) => secret.slice(0, -1),
  "with a letter too many": (secret) => `${secret}A`,
  "with another letter among the random ones": (secret) => `${secret.slice(0, -1)}+`,
  "with a zero before its user": (secret) => secret.replace(/^(wfk_\w{8}_)/, "$10"),
  "the prefix alone": () => "wfk_",
};

/** Secrets that are compared with what the table has. */
const wrong: Record<string, (secret: string) => string | Promise<string>> = {
  "with other random letters": (secret) => changed(secret, secret.length - 20),
  "of a key that nobody has": (secret) => secret.replace(/_\d+(?=_[\w-]{43}$)/, "_1"),
  "of a user that there is not": (secret) => secret.replace(/^(wfk_\w{8}_)\d+/, "$1999999"),
  "of another user": async (secret) => {
    await store([callerLine({ ...user, id: user.id + 50_000 })]);
    return secret.replace(/^(wfk_\w{8}_)\d+/, `$1${user.id + 50_000}`);
  },
  "that was deleted": async (secret) => {
    await deleteKey(user, key.id);
    return secret;
  },
  "that has expired": async (secret) => {
    vi.useFakeTimers({ now: Date.now() + 86_400_000, toFake: ["Date"] });
    return secret;
  },
  "whose user has another role": async (secret) => {
    await store([callerLine({ ...user, role: "client" })]);
    return secret;
  },
  "whose user has another company": async (secret) => {
    await store([callerLine({ ...user, company_id: 2 })]);
    return secret;
  },
  "whose user has another password": async (secret) => {
    await store([callerLine(user, { password: "nine loud lanterns" })]);
    return secret;
  },
  "whose user is gone": async (secret) => {
    await store([{ type: "user", id: user.id, deleted: true }]);
    return secret;
  },
};

describe("D46: 401 token_invalid, with one answer", () => {
  test.each(Object.entries(malformed))("a secret %s, without a read", async (_, make) => {
    const answer = await callWith(make(key.secret));
    expectProblem(answer, 401, "token_invalid");
    expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    expect(answer.body.detail).toBe("The API key is not valid for this service");
    expect([...network.calls.keys()]).toEqual([]);
  });

  test.each(Object.entries(wrong))("a secret %s, after the same two reads", async (_, make) => {
    const secret = await make(key.secret);
    network.reset();
    const answer = await callWith(secret);
    expectProblem(answer, 401, "token_invalid");
    expect(answer.body.detail).toBe("The API key is not valid for this service");
    expect([...network.calls]).toEqual([["GetItem", 2]]);
  });
});

test("D46: a key counts again with the role that it was made in, and never after a new password", async () => {
  await store([callerLine({ ...user, role: "client" })]);
  expectProblem(await callWith(key.secret), 401, "token_invalid");
  await store([callerLine(user)]);
  expect((await callWith(key.secret)).status).toBe(200);
  await store([callerLine(user, { password: "nine loud lanterns" })]);
  await store([callerLine(user, { password: "seven quiet harbours" })]);
  expectProblem(await callWith(key.secret), 401, "token_invalid");
});

test.each([
  ["a query", { query: { access_token: "SECRET" } }],
  ["a cookie", { headers: { cookie: "access_token=SECRET" } }],
])("D46: 401 token_missing for a key in %s", async (_, request) => {
  const sent = JSON.parse(JSON.stringify(request).replaceAll("SECRET", key.secret));
  expectProblem(await call(profileHandler, getProfile, sent), 401, "token_missing");
});

describe("D46: on a stage with an external issuer", () => {
  beforeEach(() => vi.stubEnv("OIDC_ISSUER", JSON.stringify({ issuer: "https://issuer.example" })));

  test("every key is 401, without a read", async () => {
    expectProblem(await callWith(key.secret), 401, "token_invalid");
    expect([...network.calls.keys()]).toEqual([]);
  });

  test.each([
    [createHandler, createApiKey],
    [listHandler, listApiKeys],
    [deleteHandler, deleteApiKey],
  ] as const)("the operations are 404: %#", async (handler, operation) => {
    const answer = await call(handler, operation, { as: user, parameters: { id: "1" } });
    expectProblem(answer, 404, "route_not_found");
  });
});

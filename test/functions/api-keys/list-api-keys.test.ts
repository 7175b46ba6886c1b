import { beforeEach, expect, test } from "vitest";
import { endSessionFamily } from "../../../shared/people/sessions.ts";
import { testChange } from "../../support/records/contexts.ts";
import { callerLine } from "../../support/records/records.ts";
import { openTestSession } from "../../support/records/sessions.ts";
import { store } from "../../support/records/store.ts";
import { keyOf, keyPassword, listKeys } from "../../support/requests/api-keys.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { type TestUser, testSession } from "../../support/tokens/tokens.ts";

useService();
let user: TestUser = { id: 100, role: "driver", company_id: null };

beforeEach(async () => {
  user = { ...user, id: user.id + 1 };
  await store([callerLine(user, { password: keyPassword })]);
});

test("200: D46: the caller's own keys, newest first, on one page, without secrets and hashes", async () => {
  const first = await keyOf(user.id, "read", "First");
  const second = await keyOf(user.id, "act", "Second");
  const other = { ...user, id: user.id + 50_000 };
  await store([callerLine(other)]);
  await keyOf(other.id);
  const { status, headers, body } = await listKeys(user);
  expect(status).toBe(200);
  const times = { created_at: expect.any(String), expires_at: expect.any(String) };
  expect(body.keys).toEqual([
    { id: second.id, name: "Second", access: "act", ...times },
    { id: first.id, name: "First", access: "read", ...times },
  ]);
  expect([headers.total, headers["per-page"], headers.link]).toEqual(["2", "40", undefined]);
});

test("200: D46: none for a user who has none, and after a new password, which ends all", async () => {
  expect((await listKeys(user)).body).toEqual({ keys: [] });
  await keyOf(user.id);
  await store([callerLine(user, { password: "eleven loud lanterns" })]);
  await openTestSession(user.id);
  expect((await listKeys(user)).body).toEqual({ keys: [] });
});

test("401: D4: of a session that was ended, though its access token lasts", async () => {
  await endSessionFamily(user.id, testSession, testChange());
  expectProblem(await listKeys(user), 401, "token_invalid");
});

import { beforeEach, describe, expect, test } from "vitest";
import { handler as countsHandler } from "../../../functions/notifications/get-unread-counts.ts";
import { getUnreadCounts } from "../../../shared/contract/notifications.ts";
import { endSessionFamily } from "../../../shared/people/sessions.ts";
import { testChange } from "../../support/records/contexts.ts";
import { callerLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { deleteKey, keyOf, listKeys } from "../../support/requests/api-keys.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { type TestUser, testSession } from "../../support/tokens/tokens.ts";

useService();
let user: TestUser = { id: 100, role: "client", company_id: 1 };

beforeEach(async () => {
  user = { ...user, id: user.id + 1 };
  await store([callerLine(user)]);
});

const countWith = (headers: Record<string, string>) => call(countsHandler, getUnreadCounts, { headers });

describe("200", () => {
  test("D46: the key ends at once, and the others go on; deleting it again succeeds", async () => {
    const [lost, kept] = [await keyOf(user.id), await keyOf(user.id)];
    expect((await countWith(lost.headers)).status).toBe(200);
    for (let round = 0; round < 2; round += 1) {
      expect(await deleteKey(user, lost.id)).toMatchObject({ status: 200, body: {} });
    }
    expectProblem(await countWith(lost.headers), 401, "token_invalid");
    expect((await countWith(kept.headers)).status).toBe(200);
    expect((await listKeys(user)).body.keys).toMatchObject([{ id: kept.id }]);
  });

  test("D46: an id that no key has, and another user's key, which goes on", async () => {
    const other = { ...user, id: user.id + 50_000 };
    await store([callerLine(other)]);
    const foreign = await keyOf(other.id);
    expect((await deleteKey(user, foreign.id)).status).toBe(200);
    expect((await deleteKey(user, 1)).status).toBe(200);
    expect((await countWith(foreign.headers)).status).toBe(200);
  });

  test("D46: of deletions at the same moment each takes its own", async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => keyOf(user.id)));
    const answers = await Promise.all(keys.slice(1).map(({ id }) => deleteKey(user, id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await listKeys(user)).body.keys).toMatchObject([{ id: keys[0]?.id }]);
  });
});

test("401: D4: of a session that was ended: the key goes on", async () => {
  const { id, headers } = await keyOf(user.id);
  await endSessionFamily(user.id, testSession, testChange());
  expectProblem(await deleteKey(user, id), 401, "token_invalid");
  expect((await countWith(headers)).status).toBe(200);
});

test.each(["key", "0", "1e3", "9007199254740993"])("422: D22: %s is no id", async (id) => {
  expectProblem(await deleteKey(user, id), 422, "fields_invalid");
});

import { beforeAll, describe, expect, test, vi } from "vitest";
import { handler as registerDeviceHandler } from "../../../functions/devices/register-device-token.ts";
import { handler } from "../../../functions/sessions/list-sessions.ts";
import { handler as signOutHandler } from "../../../functions/sessions/sign-out.ts";
import { registerDeviceToken } from "../../../shared/contract/devices.ts";
import { listSessions, signOut } from "../../../shared/contract/sessions.ts";
import { openSession, sessionKey } from "../../../shared/db/accounts/sessions.ts";
import { userKey } from "../../../shared/db/accounts/users.ts";
import { updateIf } from "../../../shared/db/table/conditional-writes.ts";
import { makeFamily } from "../../../shared/domain/accounts/refresh-token.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { readItem } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { bearerOf, familyOf, refreshWith, signInAs, type Tokens } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";

useService();
useSigningKey();

const password = "seven quiet harbours";
let userId: number;
let login: string;

useOwnUser((id, own) => {
  [userId, login] = [id, own];
  return { password };
});
beforeAll(() => () => void vi.useRealTimers());

const signedIn = () => signInAs(login, password);

async function refreshed({ refresh_token }: Tokens): Promise<Tokens> {
  return (await refreshWith(refresh_token)).body.token;
}

const list = (tokens: Tokens) => call(handler, listSessions, bearerOf(tokens));

describe("200", () => {
  test("D5: the caller's live sessions, the latest refreshed first, and which of them asks", async () => {
    at("2026-03-01T09:00:00.000");
    const first = await signedIn();
    at("2026-03-02T09:00:00.000");
    const second = await signedIn();
    at("2026-03-03T09:00:00.000");
    const renewed = await refreshed(first);
    const { status, body, headers } = await list(renewed);
    expect(status).toBe(200);
    expect(body.sessions).toEqual([
      {
        id: familyOf(first),
        opened_at: "2026-03-01T09:00:00.000Z",
        refreshed_at: "2026-03-03T09:00:00.000Z",
        platforms: [],
        current: true,
      },
      {
        id: familyOf(second),
        opened_at: "2026-03-02T09:00:00.000Z",
        refreshed_at: "2026-03-02T09:00:00.000Z",
        platforms: [],
        current: false,
      },
    ]);
    expect(headers.total).toBe("2");
  });

  test("D5: nothing of a token is shown", async () => {
    const tokens = await signedIn();
    const text = JSON.stringify((await list(tokens)).body);
    const { seed } = (await readItem(sessionKey(userId, familyOf(tokens)))) ?? {};
    const [, , , , mac = "-"] = tokens.refresh_token.split(".");
    for (const secret of [mac, String(seed), "seed"]) expect(text).not.toContain(secret);
  });

  test("D5, D14: what has ended is not shown: signed out, expired, of an earlier epoch", async () => {
    at("2026-03-01T09:00:00.000");
    await signedIn();
    at("2026-03-31T08:59:00.000");
    const [out, own] = [await signedIn(), await signedIn()];
    expect((await list(own)).body.sessions).toHaveLength(3);
    await call(signOutHandler, signOut, bearerOf(out));
    at("2026-03-31T09:00:00.000");
    expect((await list(own)).body.sessions).toMatchObject([{ id: familyOf(own) }]);
    await updateIf(userKey(userId), { set: { session_epoch: 1 } });
    const renewed = sessionKey(userId, familyOf(own));
    await signedIn();
    await updateIf(renewed, { set: { epoch: 1 } });
    expect((await list(own)).body.sessions).toHaveLength(2);
  });

  test("D28: with the platforms of the devices that were registered in it", async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const notification = { token: `device-${userId}`, platform: "Android" };
    await call(registerDeviceHandler, registerDeviceToken, { ...bearerOf(one), body: { notification } });
    const { sessions } = (await list(other)).body;
    const platforms = Object.fromEntries(
      sessions.map((each: { id: string; platforms: string[] }) => [each.id, each.platforms]),
    );
    expect(platforms).toEqual({ [familyOf(one)]: ["Android"], [familyOf(other)]: [] });
  });

  test("D5: of more than 100 the 100 that were refreshed last, and their true number", async () => {
    const start = Date.parse("2026-03-01T09:00:00.000Z");
    at("2026-03-01T10:00:00.000");
    const own = await signedIn();
    const moments = Array.from({ length: 104 }, (_, index) => new Date(start + index));
    await Promise.all(moments.map((now, index) => openSession(userId, `many-${index}`, `seed-${index}`, 0, now)));
    const { body, headers } = await list(own);
    expect(headers.total).toBe("105");
    expect(body.sessions).toHaveLength(100);
    expect(body.sessions.at(-1)).toMatchObject({ id: "many-5" });
  });
});

test("D5: of more than 1,000 the 1,000 that were opened last are read", async () => {
  const start = Date.parse("2026-03-01T09:00:00.000Z");
  const familyAt = (index: number) => makeFamily(new Date(start + index * 1_000));
  const families = Array.from({ length: 1_004 }, (_, index) => familyAt(index));
  const open = (family: string, index: number) =>
    openSession(userId, family, "seed", 0, new Date(start + index * 1_000));
  await Promise.all(families.map(open));
  at("2026-03-01T10:00:00.000");
  const own = await signedIn();
  const { body, headers } = await list(own);
  expect(headers.total).toBe("1000");
  expect(body.sessions.map(({ id }: { id: string }) => id)).toEqual([
    familyOf(own),
    ...families.toReversed().slice(0, 99),
  ]);
});

describe("401", () => {
  test("D5, D14: of a session that was ended, or is of an earlier epoch, though its access token lasts", async () => {
    const [out, own] = [await signedIn(), await signedIn()];
    await call(signOutHandler, signOut, bearerOf(out));
    expectProblem(await list(out), 401, "token_invalid");
    await updateIf(userKey(userId), { set: { session_epoch: 1 } });
    expectProblem(await list(own), 401, "token_invalid");
  });

  test("D3: without an access token", async () => {
    expectProblem(await call(handler, listSessions), 401, "token_missing");
  });
});

import { expect, test } from "vitest";
import { handler } from "../../../functions/sessions/list-sessions.ts";
import { listSessions } from "../../../shared/contract/sessions.ts";
import { makeFamily, openSession, sessionKey } from "../../../shared/people/sessions.ts";
import { userKey } from "../../../shared/people/users.ts";
import { updateIf } from "../../../shared/table/writes.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { readItem } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import {
  bearerOf,
  familyOf,
  refreshWith,
  registerDevice,
  signInAs,
  signOutOf,
  type Tokens,
} from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";

useService();
useSigningKey();
const password = "seven quiet harbours";
const own = useOwnUser(() => ({ password }));

const signedIn = () => signInAs(own.login, password);
const list = (tokens: Tokens) => call(handler, listSessions, bearerOf(tokens));

test("D5, D28: the caller's live sessions, the latest refreshed first, with devices, and nothing of a token", async () => {
  at("2026-03-01T09:00:00.000");
  const first = await signedIn();
  await registerDevice(first, { token: `device-${own.id}`, platform: "Android" });
  at("2026-03-02T09:00:00.000");
  const second = await signedIn();
  at("2026-03-03T09:00:00.000");
  const renewed: Tokens = (await refreshWith(first.refresh_token)).body.token;
  const { status, body, headers } = await list(renewed);
  expect(status).toBe(200);
  expect(body.sessions).toEqual([
    {
      id: familyOf(first),
      opened_at: "2026-03-01T09:00:00.000Z",
      refreshed_at: "2026-03-03T09:00:00.000Z",
      platforms: ["Android"],
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
  const { seed } = (await readItem(sessionKey(own.id, familyOf(first)))) ?? {};
  const mac = String(renewed.refresh_token.split(".")[4]);
  for (const secret of [mac, String(seed), "seed"]) expect(JSON.stringify(body)).not.toContain(secret);
});

test("D5, D14: what has ended is not shown: signed out, expired, of an earlier epoch", async () => {
  at("2026-03-01T09:00:00.000");
  await signedIn();
  at("2026-03-31T08:59:00.000");
  const [left, here] = [await signedIn(), await signedIn()];
  expect((await list(here)).body.sessions).toHaveLength(3);
  await signOutOf(left);
  at("2026-03-31T09:00:00.000");
  expect((await list(here)).body.sessions).toMatchObject([{ id: familyOf(here) }]);
  await signedIn();
  await updateIf(userKey(own.id), { set: { session_epoch: 1 } });
  await updateIf(sessionKey(own.id, familyOf(here)), { set: { epoch: 1 } });
  expect((await list(here)).body.sessions).toMatchObject([{ id: familyOf(here) }]);
});

test("D5: of more than 1,000 the 1,000 that were opened last are read, and the 100 refreshed last are shown", async () => {
  const start = Date.parse("2026-03-01T09:00:00.000Z");
  const moments = Array.from({ length: 1_004 }, (_, index) => new Date(start + index * 1_000));
  const families = moments.map(makeFamily);
  await Promise.all(moments.map((now, index) => openSession(own.id, families[index] ?? "", "seed", 0, now)));
  at("2026-03-01T10:00:00.000");
  const here = await signedIn();
  const { body, headers } = await list(here);
  expect(headers.total).toBe("1000");
  const shown = body.sessions.map(({ id }: { id: string }) => id);
  expect(shown).toEqual([familyOf(here), ...families.toReversed().slice(0, 99)]);
});

test("D5, D14: 401: of a session that was ended, or is of an earlier epoch, though its access token lasts", async () => {
  const [left, here] = [await signedIn(), await signedIn()];
  await signOutOf(left);
  expectProblem(await list(left), 401, "token_invalid");
  await updateIf(userKey(own.id), { set: { session_epoch: 1 } });
  expectProblem(await list(here), 401, "token_invalid");
});

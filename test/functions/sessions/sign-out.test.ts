import { expect, test } from "vitest";
import { handler as getProfileHandler } from "../../../functions/accounts/get-profile.ts";
import { handler } from "../../../functions/sessions/sign-out.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { signOut } from "../../../shared/contract/sessions.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { bearerOf, familyOf, refreshWith, signInAs } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";
import { tokenOf } from "../../support/tokens/tokens.ts";

useService();
useSigningKey();
const password = "seven quiet harbours";
const own = useOwnUser(() => ({ password }));

const signedIn = () => signInAs(own.login, password);
const signOutBy = (access_token: string) =>
  call(handler, signOut, { headers: { authorization: `Bearer ${access_token}` } });

test("D5: the newest refresh token is dead, whichever access token signed out; the user's other sessions go on", async () => {
  const [first, other] = [await signedIn(), await signedIn()];
  const second = (await refreshWith(first.refresh_token)).body.token;
  for (let round = 0; round < 2; round += 1) {
    expect(await signOutBy(first.access_token)).toMatchObject({ status: 200, body: {} });
  }
  expectProblem(await refreshWith(second.refresh_token), 401, "refresh_token_invalid");
  expect((await refreshWith(other.refresh_token)).status).toBe(200);
});

test("D5: a token that names another user's session does not end it", async () => {
  const tokens = await signedIn();
  const user = { id: own.id + 500_000, role: "driver", company_id: null } as const;
  expect((await signOutBy(await tokenOf(user, { sid: familyOf(tokens) }))).status).toBe(200);
  expect((await refreshWith(tokens.refresh_token)).status).toBe(200);
});

test("D4, D14: the access token lives out its 15 minutes, to the millisecond", async () => {
  at("2026-05-01T09:00:00.000");
  const tokens = await signedIn();
  await signOutBy(tokens.access_token);
  const profile = () => call(getProfileHandler, getProfile, bearerOf(tokens));
  at("2026-05-01T09:14:59.999");
  expect((await profile()).status).toBe(200);
  at("2026-05-01T09:15:00.000");
  expectProblem(await profile(), 401, "token_expired");
});

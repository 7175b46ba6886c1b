import { beforeAll, describe, expect, test, vi } from "vitest";
import { handler as getProfileHandler } from "../../../functions/accounts/get-profile.ts";
import { handler } from "../../../functions/sessions/sign-out.ts";
import { handler as rotateSigningKey } from "../../../functions/workers/rotate-signing-key.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { signOut } from "../../../shared/contract/sessions.ts";
import { useOwnUser } from "../../support/records/own-user.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith, signInAs, type Tokens } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";
import { tokenOf } from "../../support/tokens/tokens.ts";

useService();

const password = "seven quiet harbours";
let userId: number;

beforeAll(() => rotateSigningKey());
useOwnUser((id) => {
  userId = id;
  return { password };
});

const signedIn = () => signInAs(`user-${userId}@example.com`, password);

function signOutOf({ access_token }: Pick<Tokens, "access_token">) {
  return call(handler, signOut, { headers: { authorization: `Bearer ${access_token}` } });
}

describe("200", () => {
  test("D5: the refresh token of the session is dead", async () => {
    const tokens = await signedIn();
    expect(await signOutOf(tokens)).toMatchObject({ status: 200, body: {} });
    expectProblem(await refreshWith(tokens.refresh_token), 401, "refresh_token_invalid");
  });

  test("D5: the newest refresh token of the session is dead, whichever of its access tokens signed out", async () => {
    const first = await signedIn();
    const second = (await refreshWith(first.refresh_token)).body.token;
    await signOutOf(first);
    expectProblem(await refreshWith(second.refresh_token), 401, "refresh_token_invalid");
  });

  test("D5: the user's other sessions go on", async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    await signOutOf(one);
    expect((await refreshWith(other.refresh_token)).status).toBe(200);
  });

  test("D5: signing out again, or out of a session that is gone, is answered the same", async () => {
    const tokens = await signedIn();
    for (let round = 0; round < 2; round += 1) expect((await signOutOf(tokens)).status).toBe(200);
  });

  test("D5: a token that names another user's session does not end it", async () => {
    const tokens = await signedIn();
    const sid = tokens.refresh_token.split(".")[1] ?? "";
    const access_token = await tokenOf({ id: userId + 500_000, role: "driver", company_id: null }, { sid });
    expect((await signOutOf({ access_token })).status).toBe(200);
    expect((await refreshWith(tokens.refresh_token)).status).toBe(200);
  });

  test("D14: the access token lives out its 15 minutes", async () => {
    const tokens = await signedIn();
    await signOutOf(tokens);
    const profile = () =>
      call(getProfileHandler, getProfile, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    expect((await profile()).status).toBe(200);
    vi.useFakeTimers({ now: Date.now() + 15 * 60_000, toFake: ["Date"] });
    expectProblem(await profile(), 401, "token_expired");
  });
});

describe("401", () => {
  test("D3: without an access token nothing is signed out", async () => {
    expectProblem(await call(handler, signOut), 401, "token_missing");
  });

  test("D5: a refresh token does not sign out", async () => {
    const tokens = await signedIn();
    expectProblem(await signOutOf({ access_token: tokens.refresh_token }), 401, "token_invalid");
    expect((await refreshWith(tokens.refresh_token)).status).toBe(200);
  });
});

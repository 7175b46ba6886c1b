import { expect, test } from "vitest";
import { useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { familyOf, refreshWith, signInAs, signOutOf } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";
import { tokenOf } from "../../support/tokens/tokens.ts";

useService();
useSigningKey();
const password = "seven quiet harbours";
const own = useOwnUser(() => ({ password }));

const signedIn = () => signInAs(own.login, password);

test("D5: the newest refresh token is dead, whichever access token signed out; the user's other sessions go on", async () => {
  const [first, other] = [await signedIn(), await signedIn()];
  const second = (await refreshWith(first.refresh_token)).body.token;
  for (let round = 0; round < 2; round += 1) {
    expect(await signOutOf(first)).toMatchObject({ status: 200, body: {} });
  }
  expectProblem(await refreshWith(second.refresh_token), 401, "refresh_token_invalid");
  expect((await refreshWith(other.refresh_token)).status).toBe(200);
});

test("D5: a token that names another user's session does not end it", async () => {
  const tokens = await signedIn();
  const user = { id: own.id + 500_000, role: "driver", company_id: null } as const;
  expect((await signOutOf({ access_token: await tokenOf(user, { sid: familyOf(tokens) }) })).status).toBe(200);
  expect((await refreshWith(tokens.refresh_token)).status).toBe(200);
});

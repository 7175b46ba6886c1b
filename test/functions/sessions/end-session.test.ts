import { describe, expect, test } from "vitest";
import { handler as registerDeviceHandler } from "../../../functions/devices/register-device-token.ts";
import { handler } from "../../../functions/sessions/end-session.ts";
import { handler as signOutHandler } from "../../../functions/sessions/sign-out.ts";
import { isKnownClient } from "../../../shared/accounts/known-client.ts";
import { registerDeviceToken } from "../../../shared/contract/devices.ts";
import { endSession, signOut } from "../../../shared/contract/sessions.ts";
import { useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { bearerOf, familyOf, refreshWith, signInAs, type Tokens } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";
import { tokensOf } from "../../support/workers/pushes.ts";

useService();
useSigningKey();

const password = "seven quiet harbours";
let userId: number;
let login: string;

useOwnUser((id, own) => {
  [userId, login] = [id, own];
  return { password };
});

const signedIn = (as = login) => signInAs(as, password);

async function statusOf({ refresh_token }: Tokens): Promise<number> {
  return (await refreshWith(refresh_token)).status;
}

const end = (id: string, from: Tokens) => call(handler, endSession, { ...bearerOf(from), parameters: { id } });

describe("200", () => {
  test("D5: the session ends and the others go on", async () => {
    const [lost, own] = [await signedIn(), await signedIn()];
    expect(await end(familyOf(lost), own)).toMatchObject({ status: 200, body: {} });
    expect(await statusOf(lost)).toBe(401);
    expect(await statusOf(own)).toBe(200);
  });

  test("D5: ending it again is answered the same, the caller's own as well", async () => {
    const [lost, own] = [await signedIn(), await signedIn()];
    for (const ended of [lost, lost, own, own]) expect((await end(familyOf(ended), own)).status).toBe(200);
    expect(await statusOf(own)).toBe(401);
  });

  test("D10: a session that was ended from another one proves none, also after signing out of it; one's own still does", async () => {
    const [stolen, own] = [await signedIn(), await signedIn()];
    await call(registerDeviceHandler, registerDeviceToken, {
      ...bearerOf(stolen),
      body: { notification: { token: `stolen-${userId}` } },
    });
    const proofs = [stolen.refresh_token, `stolen-${userId}`, own.refresh_token];
    const known = () =>
      Promise.all(proofs.map((proof) => isKnownClient({ value: login, channel: "email" }, proof, new Date())));
    expect(await known()).toEqual([true, true, true]);
    await end(familyOf(stolen), own);
    expect(await known()).toEqual([false, false, true]);
    await call(signOutHandler, signOut, bearerOf(stolen));
    expect(await statusOf(stolen)).toBe(401);
    await end(familyOf(own), own);
    expect(await known()).toEqual([false, false, true]);
    expect((await end(familyOf(stolen), await signedIn())).status).toBe(200);
  });

  test("D28: its devices go with it, and no others", async () => {
    const [lost, own] = [await signedIn(), await signedIn()];
    for (const [tokens, token] of [
      [lost, `lost-${userId}`],
      [own, `own-${userId}`],
    ] as const) {
      await call(registerDeviceHandler, registerDeviceToken, {
        ...bearerOf(tokens),
        body: { notification: { token } },
      });
    }
    await end(familyOf(lost), own);
    expect(await tokensOf(userId)).toEqual([`own-${userId}`]);
  });
});

describe("404", () => {
  test("D2: another user's session goes on, and is answered as one that nobody has", async () => {
    const own = await signedIn();
    const another = { login: `another-${userId}@example.com`, id: userId + 500_000 };
    await store([userLine(another.id, { email: another.login, password })]);
    const foreign = await signedIn(another.login);
    const answers = [await end(familyOf(foreign), own), await end("A".repeat(22), own)];
    for (const answer of answers) expectProblem(answer, 404, "record_not_found");
    expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail);
    expect(await statusOf(foreign)).toBe(200);
  });

  test.each([
    "",
    "%00",
    "a#b",
    "USER#1",
    "x".repeat(65),
    "x".repeat(3_000),
    "ü",
    "../sign_out",
  ])("D5: the id %j is none", async (id) => {
    expectProblem(await end(id, await signedIn()), 404, "record_not_found");
  });
});

describe("401", () => {
  test("D5: from a session that was ended no other can be ended, while its access token lasts", async () => {
    const [stolen, own] = [await signedIn(), await signedIn()];
    await end(familyOf(stolen), own);
    expectProblem(await end(familyOf(own), stolen), 401, "token_invalid");
    expectProblem(await end("A".repeat(22), stolen), 401, "token_invalid");
    expect(await statusOf(own)).toBe(200);
  });

  test("D3: without an access token", async () => {
    expectProblem(await call(handler, endSession, { parameters: { id: "x" } }), 401, "token_missing");
  });
});

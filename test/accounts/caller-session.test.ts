import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { handler as registerHandler } from "../../functions/devices/register-device-token.ts";
import { handler as signInHandler } from "../../functions/sessions/sign-in.ts";
import { handler as signOutHandler } from "../../functions/sessions/sign-out.ts";
import { handler as rotateSigningKey } from "../../functions/workers/rotate-signing-key.ts";
import { handler as sendPushes } from "../../functions/workers/send-pushes.ts";
import { registerDeviceToken } from "../../shared/contract/devices.ts";
import { signIn, signOut } from "../../shared/contract/sessions.ts";
import { mintToken } from "../../shared/tokens/mint-token.ts";
import { useNetwork } from "../support/faults/network.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { call } from "../support/requests/call.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { newPush, pushedTo, tokensOf, usePushService } from "../support/workers/pushes.ts";
import { queueEvent } from "../support/workers/workers.ts";

const service = usePushService();
const proxy = useNetwork();
const [before, after] = ["seven quiet harbours", "nine loud lanterns"];
let userId = 5_000;

beforeAll(() => rotateSigningKey());
beforeEach(async () => {
  userId += 1;
  await store([userLine(userId, { password: before })]);
});

/** Signs in; gives the header that its access token goes in. */
async function signedIn(password = before) {
  const user = { login: `user-${userId}@example.com`, password };
  const { body } = await call(signInHandler, signIn, { body: { user } });
  return { authorization: `Bearer ${body.token.access_token}` };
}

function register(token: string, headers: Record<string, string>) {
  return call(registerHandler, registerDeviceToken, { headers, body: { notification: { token } } });
}

/** Who is pushed a new notification of the user. */
async function pushed(): Promise<string[]> {
  service.inbox.clear();
  await sendPushes(queueEvent(await newPush(userId)));
  return pushedTo(service);
}

test("D14, D28: after a recovery the devices of before get no push, until they are registered again", async () => {
  const thief = await signedIn();
  await register(`thief-${userId}`, thief);
  const own = await signedIn();
  await register(`own-${userId}`, own);
  expect(await pushed()).toEqual([`own-${userId}`, `thief-${userId}`]);
  await store([userLine(userId, { password: after })]);
  expect(await pushed()).toEqual([]);
  expectProblem(await register(`thief-${userId}`, thief), 401, "token_invalid");
  const again = await register(`own-${userId}`, await signedIn(after));
  expect(again.status).toBe(200);
  expect(await pushed()).toEqual([`own-${userId}`]);
});

test("D5, D28: signing out removes the devices of its session, whose token registers none afterwards", async () => {
  const [one, other] = [await signedIn(), await signedIn()];
  await register(`one-${userId}`, one);
  await register(`other-${userId}`, other);
  expect((await call(signOutHandler, signOut, { headers: one })).status).toBe(200);
  expect(await tokensOf(userId)).toEqual([`other-${userId}`]);
  expectProblem(await register(`one-${userId}`, one), 401, "token_invalid");
  expect(await tokensOf(userId)).toEqual([`other-${userId}`]);
});

test("D5, D28: a device that is on its way into a session while that is signed out of is refused, and not kept", async () => {
  const headers = await signedIn();
  const release = proxy.hold("TransactWriteItems");
  const answer = register(`late-${userId}`, headers);
  await vi.waitFor(() => expect(proxy.holding("TransactWriteItems")).toBe(true));
  expect((await call(signOutHandler, signOut, { headers })).status).toBe(200);
  release();
  expectProblem(await answer, 401, "token_invalid");
  expect(await tokensOf(userId)).toEqual([]);
});

test("D28: the token of a removed user registers no device", async () => {
  const headers = await signedIn();
  await store([{ type: "user", id: userId, deleted: true }]);
  expectProblem(await register(`gone-${userId}`, headers), 401, "token_invalid");
  expect(await tokensOf(userId)).toEqual([]);
});

test("D5: a token that a person made has a session, which signing out ends", async () => {
  const subject = { id: userId, role: "operator", financial_company_id: 1 } as const;
  const { token } = await mintToken(subject, 60, new Date());
  const headers = { authorization: `Bearer ${token}` };
  expect((await register(`made-${userId}`, headers)).status).toBe(200);
  await call(signOutHandler, signOut, { headers });
  expectProblem(await register(`made-${userId}`, headers), 401, "token_invalid");
});

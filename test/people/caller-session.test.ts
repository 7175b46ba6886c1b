import { beforeEach, expect, test } from "vitest";
import { handler as sendPushes } from "../../functions/workers/send-pushes.ts";
import { mintToken } from "../../infra/local/mint-token.ts";
import { useNetwork } from "../support/faults/network.ts";
import { useOwnUser, useSigningKey } from "../support/records/own-user.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { registerDevice, signInAs, signOutOf } from "../support/requests/sessions.ts";
import { newPush, pushedTo, tokensOf, usePushService } from "../support/workers/pushes.ts";
import { queueEvent } from "../support/workers/workers.ts";

const service = usePushService();
const proxy = useNetwork();
const [before, after] = ["seven quiet harbours", "nine loud lanterns"];

useSigningKey();
const own = useOwnUser(() => ({ password: before }));
beforeEach(() => service.inbox.clear());

const signedIn = (password = before) => signInAs(own.login, password);

/** Registers a device of the user under a name. */
const register = (name: string, tokens: { readonly access_token: string }) =>
  registerDevice(tokens, { token: `${name}-${own.id}` });

/** The devices that get a new notification of the user. */
async function pushed(): Promise<string[]> {
  service.inbox.clear();
  await sendPushes(queueEvent(await newPush(own.id)));
  return pushedTo(service);
}

test("D14, D28: after a recovery the devices of before get no push, until they are registered again", async () => {
  const thief = await signedIn();
  await register("thief", thief);
  await register("own", await signedIn());
  expect(await pushed()).toEqual([`own-${own.id}`, `thief-${own.id}`]);
  await store([userLine(own.id, { password: after })]);
  expect(await pushed()).toEqual([]);
  expectProblem(await register("thief", thief), 401, "token_invalid");
  expect((await register("own", await signedIn(after))).status).toBe(200);
  expect(await pushed()).toEqual([`own-${own.id}`]);
});

test("D5, D28: signing out removes the devices of its session, whose token registers none afterwards", async () => {
  const [one, other] = [await signedIn(), await signedIn()];
  await register("one", one);
  await register("other", other);
  expect((await signOutOf(one)).status).toBe(200);
  expectProblem(await register("one", one), 401, "token_invalid");
  expect(await tokensOf(own.id)).toEqual([`other-${own.id}`]);
});

test("D5, D28: a device that is on its way into a session while that is signed out of is refused, and not kept", async () => {
  const tokens = await signedIn();
  const release = proxy.hold("TransactWriteItems");
  const answer = register("late", tokens);
  await proxy.held("TransactWriteItems");
  expect((await signOutOf(tokens)).status).toBe(200);
  release();
  expectProblem(await answer, 401, "token_invalid");
  expect(await tokensOf(own.id)).toEqual([]);
});

test("D5: a token that a person made has a session, which signing out ends", async () => {
  const subject = { id: own.id, role: "operator", financial_company_id: 1 } as const;
  const { token: access_token } = await mintToken(subject, 60, new Date());
  expect((await register("made", { access_token })).status).toBe(200);
  await signOutOf({ access_token });
  expectProblem(await register("made", { access_token }), 401, "token_invalid");
});

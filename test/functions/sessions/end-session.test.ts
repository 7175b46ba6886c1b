import { describe, expect, test } from "vitest";
import { handler } from "../../../functions/sessions/end-session.ts";
import { endSession } from "../../../shared/contract/sessions.ts";
import { isKnownClient } from "../../../shared/people/known-client.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
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
import { tokensOf } from "../../support/workers/pushes.ts";

useService();
useSigningKey();
const network = useNetwork();
const password = "seven quiet harbours";
const own = useOwnUser(() => ({ password }));

const signedIn = (as = own.login) => signInAs(as, password);
const end = (id: string, from: Tokens) => call(handler, endSession, { ...bearerOf(from), parameters: { id } });
const statusOf = async ({ refresh_token }: Tokens) => (await refreshWith(refresh_token)).status;
const register = (token: string, from: Tokens) => registerDevice(from, { token });

describe("404", () => {
  test("D2: another user's session goes on, and is answered as one that nobody has", async () => {
    const here = await signedIn();
    const email = `another-${own.id}@example.com`;
    await store([userLine(own.id + 500_000, { email, password })]);
    const foreign = await signedIn(email);
    const answers = [await end(familyOf(foreign), here), await end("A".repeat(22), here)];
    for (const answer of answers) expectProblem(answer, 404, "record_not_found");
    expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail);
    expect(await statusOf(foreign)).toBe(200);
  });

  test("D5: whatever else is in the path is the id of none", async () => {
    const here = await signedIn();
    for (const id of ["", "%00", "a#b", "USER#1", "x".repeat(65), "x".repeat(3_000), "ü", "../sign_out"]) {
      expectProblem(await end(id, here), 404, "record_not_found");
    }
  });
});

test("D28: a sign-out that fails on its way leaves no session without its devices", async () => {
  const here = await signedIn();
  await register(`kept-${own.id}`, here);
  network.fail("UpdateItem", { status: 400, body: { __type: "ResourceNotFoundException" } }, 1);
  expect((await signOutOf(here)).status).toBe(500);
  network.reset();
  expect(await tokensOf(own.id)).toEqual([`kept-${own.id}`]);
  expect(await statusOf(here)).toBe(200);
});

describe("200", () => {
  test("D5, D28: the session ends with its devices, and the others go on; ending it again is answered the same", async () => {
    const [lost, here] = [await signedIn(), await signedIn()];
    await register(`lost-${own.id}`, lost);
    await register(`here-${own.id}`, here);
    for (let round = 0; round < 2; round += 1) {
      expect(await end(familyOf(lost), here)).toMatchObject({ status: 200, body: {} });
    }
    expect(await tokensOf(own.id)).toEqual([`here-${own.id}`]);
    expect([await statusOf(lost), await statusOf(here)]).toEqual([401, 200]);
    for (let round = 0; round < 2; round += 1) expect((await end(familyOf(here), here)).status).toBe(200);
    expect(await statusOf(here)).toBe(401);
  });

  test("D10: a session that was ended from another one proves none, also after signing out of it; one's own still does", async () => {
    const [stolen, here] = [await signedIn(), await signedIn()];
    await register(`stolen-${own.id}`, stolen);
    const proofs = [stolen.refresh_token, `stolen-${own.id}`, here.refresh_token];
    const login = { value: own.login, channel: "email" } as const;
    const known = () => Promise.all(proofs.map((proof) => isKnownClient(login, proof, new Date())));
    expect(await known()).toEqual([true, true, true]);
    await end(familyOf(stolen), here);
    expect(await known()).toEqual([false, false, true]);
    await signOutOf(stolen);
    await end(familyOf(here), here);
    expect(await known()).toEqual([false, false, true]);
    expect((await end(familyOf(stolen), await signedIn())).status).toBe(200);
  });
});

test("D5: 401: from a session that was ended no other can be ended, while its access token lasts", async () => {
  const [stolen, here] = [await signedIn(), await signedIn()];
  await end(familyOf(stolen), here);
  for (const id of [familyOf(here), "A".repeat(22)]) expectProblem(await end(id, stolen), 401, "token_invalid");
  expect(await statusOf(here)).toBe(200);
});

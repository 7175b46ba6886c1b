import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { handler as confirmHandler } from "../../functions/accounts/confirm-login-by-body.ts";
import { handler as requestHandler } from "../../functions/accounts/request-password-reset.ts";
import { handler as signInHandler } from "../../functions/sessions/sign-in.ts";
import { confirmLoginByBody, requestPasswordReset } from "../../shared/contract/accounts.ts";
import { signIn } from "../../shared/contract/sessions.ts";
import { watchLogins } from "../../shared/db/accounts/login-collisions.ts";
import { findUserIdOfLogin, loginKey, logins, moveLogin } from "../../shared/db/accounts/logins.ts";
import { findUser, userKey, users } from "../../shared/db/accounts/users.ts";
import { entities } from "../../shared/db/entities.ts";
import { migrateTable } from "../../shared/db/migrate/migrate-table.ts";
import { deleteItemAt, putIf } from "../../shared/db/table/conditional-writes.ts";
import { useSigningKey } from "../support/records/own-user.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { readItem } from "../support/records/writes.ts";
import { call } from "../support/requests/call.ts";
import { deliverPins, newestPin } from "../support/requests/pins.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { forgetThrottles } from "../support/requests/throttles.ts";
import { useService } from "../support/service/service.ts";

const service = useService();
const password = "seven quiet harbours";
let lastId = 10;

useSigningKey();
beforeAll(() => service.inbox.clear());
beforeEach(() => forgetThrottles(service));

/** Stores a user whose e-mail address is in the form that release 0.1 gave it. */
async function storeFormer(former: string, typed = password): Promise<number> {
  lastId += 1;
  const placeholder = `former-${lastId}@example.com`;
  await store([userLine(lastId, { email: placeholder, password: typed })]);
  const stored = await readItem(userKey(lastId));
  const record = { ...(stored?.record as object), email: former };
  await putIf({ Item: { ...stored, record } });
  await deleteItemAt(loginKey(placeholder));
  await putIf({ Item: logins.encode({ ...loginKey(former), user_id: lastId }) });
  return lastId;
}

function signInAs(login: string, typed = password) {
  return call(signInHandler, signIn, { body: { user: { login, password: typed } } });
}

describe("D7: a login in the form of release 0.1", () => {
  test("signs in as it did, and moves to its normal form with the user's address", async () => {
    const id = await storeFormer("ann@m\u00fcller.example");
    expectProblem(await signInAs("Ann@M\u00fcller.example", "wrong password"), 401, "login_invalid");
    expect(await findUserIdOfLogin("ann@m\u00fcller.example")).toBe(id);
    expect((await signInAs("Ann@M\u00fcller.example")).status).toBe(200);
    expect(await readItem(loginKey("ann@m\u00fcller.example"))).toBeUndefined();
    expect(await findUserIdOfLogin("ann@xn--mller-kva.example")).toBe(id);
    expect(await findUser(id)).toMatchObject({ email: "ann@xn--mller-kva.example" });
    for (const login of ["ann@M\u00dcLLER.example", "ann@xn--mller-kva.example"]) {
      expect((await signInAs(login)).body.user.id).toBe(id);
    }
  });

  test("gets a pin in its normal form, with which the user confirms it", async () => {
    const id = await storeFormer("user@\u4f8b\u3048.jp");
    const login = "user@\u4f8b\u3048.jp";
    expect((await call(requestHandler, requestPasswordReset, { body: { user: { login } } })).status).toBe(200);
    await deliverPins();
    const pin = newestPin(service.inbox, "user@xn--r8jz45g.jp");
    const answer = await call(confirmHandler, confirmLoginByBody, { body: { user: { login, pin } } });
    expect(answer).toMatchObject({ status: 200, body: { user: { id } } });
  });

  test.each([
    "j\u00fcrgen@example.com",
    "a..b@example.com",
    ".a@example.com",
    "a@b.example.",
  ])("that is no deliverable address, %s, signs in and stays as it is", async (former) => {
    const id = await storeFormer(former);
    expect((await signInAs(former)).body.user.id).toBe(id);
    expect(await findUserIdOfLogin(former)).toBe(id);
    expectProblem(await signInAs(`x${former}`), 401, "login_invalid");
  });

  test("whose normal form is another user's stays, and each signs in with what they typed before", async () => {
    const one = await storeFormer("kim@b\u00fccher.example");
    const other = await storeFormer("kim@xn--bcher-kva.example", "eleven loud lanterns");
    expect((await signInAs("kim@B\u00fccher.example")).body.user.id).toBe(one);
    expect((await signInAs("kim@xn--bcher-kva.example", "eleven loud lanterns")).body.user.id).toBe(other);
    expect(await findUserIdOfLogin("kim@b\u00fccher.example")).toBe(one);
    expect(users.decode((await readItem(userKey(one))) ?? {})).toMatchObject({
      record: { email: "kim@b\u00fccher.example" },
    });

    const { onItem, collisions } = watchLogins();
    await migrateTable({ entities, required: [], writesPerSecond: 1_000, isDryRun: true, onItem });
    expect(collisions).toEqual([[other, one]]);
  });
});

test("D7: dots and plus tags count: addresses that differ in them are different logins", async () => {
  await store([
    userLine(900, { email: "ann.work@example.com", password }),
    userLine(901, { email: "annwork@example.com", password: "eleven loud lanterns" }),
  ]);
  expect((await signInAs("Ann.Work@example.com")).body.user.id).toBe(900);
  expectProblem(await signInAs("annwork@example.com"), 401, "login_invalid");
  expectProblem(await signInAs("ann.work+x@example.com"), 401, "login_invalid");
});

test("D7: a login of release 0.1 whose normal form is another user's gets no pin: it would come to the other's address; the other gets their own", async () => {
  const former = await storeFormer("lee@b\u00fccher.example");
  const other = await storeFormer("lee@xn--bcher-kva.example");
  const login = "lee@b\u00fccher.example";
  expect(await moveLogin(login, "lee@xn--bcher-kva.example", new Date())).toBeUndefined();
  expect((await call(requestHandler, requestPasswordReset, { body: { user: { login } } })).status).toBe(200);
  await deliverPins();
  const pin = newestPin(service.inbox, "lee@xn--bcher-kva.example");
  const answer = await call(confirmHandler, confirmLoginByBody, { body: { user: { login, pin } } });
  expect(answer).toMatchObject({ status: 200, body: { user: { id: other } } });
  expect(await findUserIdOfLogin(login)).toBe(former);
});

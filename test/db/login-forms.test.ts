import { beforeAll, beforeEach, expect, test } from "vitest";
import { handler as signInHandler } from "../../functions/sessions/sign-in.ts";
import { signIn } from "../../shared/contract/sessions.ts";
import { useSigningKey } from "../support/records/own-user.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { call } from "../support/requests/call.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { forgetThrottles } from "../support/requests/throttles.ts";
import { useService } from "../support/service/service.ts";

const service = useService();
const password = "seven quiet harbours";

useSigningKey();
beforeAll(() => service.inbox.clear());
beforeEach(() => forgetThrottles(service));

function signInAs(login: string, typed = password) {
  return call(signInHandler, signIn, { body: { user: { login, password: typed } } });
}

test("D7: a login signs in in every spelling of its normal form", async () => {
  await store([userLine(11, { email: "ann@xn--mller-kva.example", password })]);
  for (const login of ["Ann@M\u00fcller.example", "ann@M\u00dcLLER.example", "ann@xn--mller-kva.example"]) {
    expect((await signInAs(login)).body.user.id).toBe(11);
  }
  expectProblem(await signInAs("Ann@M\u00fcller.example", "wrong password"), 401, "login_invalid");
});

test.each([
  "j\u00fcrgen@example.com",
  "a..b@example.com",
  ".a@example.com",
  "a@b.example.",
])("D7: %s, which is no deliverable address, is refused as any text that is no login", async (login) => {
  expectProblem(await signInAs(login), 422, "fields_invalid");
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

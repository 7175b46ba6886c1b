import { beforeAll, beforeEach, expect, test } from "vitest";
import { useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { tryPassword } from "../../support/requests/accounts.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const password = "seven quiet harbours";

useSigningKey();
beforeAll(() => service.inbox.clear());
beforeEach(() => forgetLimits(service));

test("D7: a login signs in in every spelling of its normal form", async () => {
  await store([userLine(11, { email: "ann@xn--mller-kva.example", password })]);
  for (const login of ["Ann@M\u00fcller.example", "ann@M\u00dcLLER.example", "ann@xn--mller-kva.example"]) {
    expect((await tryPassword(login, password)).body.user.id).toBe(11);
  }
  expectProblem(await tryPassword("Ann@M\u00fcller.example", "wrong password"), 401, "login_invalid");
});

test.each([
  "j\u00fcrgen@example.com",
  "a..b@example.com",
  ".a@example.com",
  "a@b.example.",
])("D7: %s, which is no deliverable address, is refused as any text that is no login", async (login) => {
  expectProblem(await tryPassword(login, password), 422, "fields_invalid");
});

test("D7: dots and plus tags count: addresses that differ in them are different logins", async () => {
  await store([
    userLine(900, { email: "ann.work@example.com", password }),
    userLine(901, { email: "annwork@example.com", password: "eleven loud lanterns" }),
  ]);
  expect((await tryPassword("Ann.Work@example.com", password)).body.user.id).toBe(900);
  expectProblem(await tryPassword("annwork@example.com", password), 401, "login_invalid");
  expectProblem(await tryPassword("ann.work+x@example.com", password), 401, "login_invalid");
});

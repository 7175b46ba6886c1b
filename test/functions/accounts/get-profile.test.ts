import { beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../../functions/accounts/get-profile.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { companyLine, shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

useService();

beforeAll(() =>
  store([
    companyLine(1),
    userLine(10, { password: "seven quiet harbours", passcode: "4711", job_position: "Dispatcher", profile_id: 70 }),
    userLine(11, { financial_company_id: null }),
    userLine(12, { financial_company_id: 99 }),
  ]),
);

function profileOf(as: TestUser) {
  return call(handler, getProfile, { as });
}

describe("200", () => {
  test("D37: the caller sees their own profile with their company, and nothing that is not in the contract", async () => {
    const { status, body } = await profileOf({ id: 10, role: "operator", company_id: 1 });
    expect(status).toBe(200);
    expect(body).toEqual({
      user: shownUser(10, { job_position: "Dispatcher", locale: null, profile_id: 70 }),
    });
  });

  test.each([11, 12])("D36: company is null where there is none, or none is known: user %i", async (id) => {
    expect((await profileOf({ id, role: "driver", company_id: null })).body.user.company).toBeNull();
  });

  test("D37: the profile is what is stored now, whatever the token says", async () => {
    await store([userLine(13, { role: "client", first_name: "Ada" })]);
    const { user } = (await profileOf({ id: 13, role: "operator", company_id: 7 })).body;
    expect(user).toMatchObject({ role: "client", first_name: "Ada", financial_company_id: 1 });
  });
});

test("D35, D37: 401: the token of a removed user counts no more", async () => {
  await store([userLine(14)]);
  await store([{ type: "user", id: 14, deleted: true }]);
  expectProblem(await profileOf({ id: 14, role: "operator", company_id: 1 }), 401, "token_invalid");
});

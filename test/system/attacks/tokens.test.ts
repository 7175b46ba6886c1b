import { beforeAll, expect, test } from "vitest";
import { handler } from "../../../functions/accounts/get-profile.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { payloadOf, sign, type TestUser, tokenOf } from "../../support/tokens/tokens.ts";

useService();
beforeAll(() => store([userLine(900)]));

const admin: TestUser = { id: 900, role: "admin", company_id: null };
/** All operations with a token read it in the same way; those that read none are found by the access matrix. */
const send = (headers: Record<string, string>, query = {}) => call(handler, getProfile, { query, headers });

test.each([
  "access_token",
  "token",
  "Authorization",
])("401: a valid token in the parameter %s is not read", async (name) => {
  expectProblem(await send({}, { [name]: await tokenOf(admin) }), 401, "token_missing");
});

test.each([
  "cookie",
  "x-authorization",
  "proxy-authorization",
  "x-access-token",
])("401: a valid token in the header %s is not read", async (name) => {
  const answer = await send({ [name]: `Bearer ${await tokenOf(admin)}` });
  expectProblem(answer, 401, "token_missing");
  expect(answer.headers["www-authenticate"]).toBe("Bearer");
});

/** Headers with no token, or more than one, made of one valid token and one of an unknown key. */
const malformed = (valid: string, garbage: string) => [
  ...["Basic dXNlcjpwYXNz", "Bearer", "Bearer ", "Bearer a b", "token", valid],
  ...[`Bearer ${valid},Bearer ${valid}`, `Bearer ${valid}, Bearer ${valid}`],
  ...[`Bearer ${garbage},Bearer ${valid}`, `Bearer ${valid},Bearer ${garbage}`, `Basic dXNlcjpwYXNz,Bearer ${valid}`],
  ...[
    `Bearer Bearer ${valid}`,
    `Bearer   ${valid}`,
    `Bearer \t${valid}`,
    ` Bearer ${valid}`,
    `Bearer ${valid} `,
    `Bearer\t${valid}`,
    `Bearer ${valid}\n`,
    `DPoP ${valid}`,
  ],
  ...[`Bearer ${garbage}`, `Bearer ${valid.replace(/.$/, (last) => (last === "A" ? "Q" : "A"))}`, `Bearer ${valid}=`],
  `Bearer ${"a".repeat(1_000_000)}`,
];

test("401: what is no token, or is two, is token_invalid, with a challenge", async () => {
  const [valid, garbage] = [await tokenOf(admin), await sign(payloadOf(admin), { kid: "unknown" })];
  for (const authorization of malformed(valid, garbage)) {
    const answer = await send({ authorization });
    expectProblem(answer, 401, "token_invalid");
    expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
  }
});

test("two spaces between the scheme and a valid token are one", async () => {
  expect((await send({ authorization: `Bearer  ${await tokenOf(admin)}` })).status).toBe(200);
});

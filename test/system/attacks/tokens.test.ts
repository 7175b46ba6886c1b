import { beforeAll, describe, expect, test } from "vitest";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { allowedUser, signedInEndpoints } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { useService } from "../../support/service/service.ts";
import { payloadOf, sign, type TestUser, tokenOf } from "../../support/tokens/tokens.ts";

useService();
beforeAll(() => store([userLine(900)]));

const admin: TestUser = { id: 900, role: "admin", company_id: null };
const parametersWithToken = ["access_token", "token", "authorization", "Authorization", "bearer"];
const headersWithToken = ["cookie", "x-authorization", "proxy-authorization", "x-access-token", "x-amz-security-token"];
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

/** All of them look for the token in one way. */
const some = usualFreshOrFull(signedInEndpoints.slice(0, 2), signedInEndpoints, signedInEndpoints);

describe.each(some)("401: $name", ({ operation, handler, sample }) => {
  const user = allowedUser(operation) ?? admin;
  const send = (headers: Record<string, string>, query = sample.query) =>
    call(handler, operation, { ...sample, query, headers });

  test("a valid token in the query, a cookie or another header is not read", async () => {
    const valid = await tokenOf(user);
    const inQuery = parametersWithToken.map((name) => send({}, { ...sample.query, [name]: valid }));
    const inHeaders = headersWithToken.map((name) => send({ [name]: `Bearer ${valid}` }));
    for (const answer of await Promise.all([...inQuery, ...inHeaders, send({ cookie: `access_token=${valid}` })])) {
      expectProblem(answer, 401, "token_missing");
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
    }
  });

  test("what is no token, or is two, is token_invalid, with a challenge", async () => {
    const [valid, garbage] = [await tokenOf(user), await sign(payloadOf(admin), { kid: "unknown" })];
    for (const authorization of malformed(valid, garbage)) {
      const answer = await send({ authorization });
      expectProblem(answer, 401, "token_invalid");
      expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    }
  });
});

test("two spaces between the scheme and a valid token are one", async () => {
  const { operation, handler } = signedInEndpoints.find(({ name }) => name === "get-profile") ?? {};
  if (!operation || !handler) throw new Error("There is no get-profile");
  const headers = { authorization: `Bearer  ${await tokenOf(admin)}` };
  expect((await call(handler, operation, { headers })).status).toBe(200);
});

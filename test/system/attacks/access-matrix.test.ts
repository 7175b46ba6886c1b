import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { handler as confirmHandler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { handler as resetHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { confirmLoginByBody, requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { invoiceLine, jobLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { store, tally } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { endpoints } from "../../support/requests/every-operation.ts";
import { deliverPins, newestPin } from "../../support/requests/pins.ts";
import { forgetThrottles } from "../../support/requests/throttles.ts";
import { useService } from "../../support/service/service.ts";
import { type TestUser, tokenOf } from "../../support/tokens/tokens.ts";

const service = useService();
const users = {
  driver: { id: 901, role: "driver", company_id: 1 },
  client: { id: 902, role: "client", company_id: 1 },
  operator: { id: 903, role: "operator", company_id: 1 },
  "operator of another company": { id: 904, role: "operator", company_id: 2 },
  admin: { id: 905, role: "admin", company_id: null },
} as const satisfies Record<string, TestUser>;

/** What is sent in the Authorization header. */
const senders = [
  "nobody",
  "garbage",
  "an expired token",
  "a token for another audience",
  ...(Object.keys(users) as (keyof typeof users)[]),
  "a refresh token",
  "a reset token",
] as const;

type Sender = (typeof senders)[number];
type Row = Readonly<Record<Sender, string>>;

/** What every operation for signed-in users answers to those who are not. */
const notSignedIn = {
  nobody: "401 token_missing",
  garbage: "401 token_invalid",
  "an expired token": "401 token_expired",
  "a token for another audience": "401 token_invalid",
  "a refresh token": "401 token_invalid",
  "a reset token": "401 token_invalid",
};

const refused = "403 role_not_allowed";

const everySignedInUser: Row = {
  ...notSignedIn,
  driver: "200",
  client: "200",
  operator: "200",
  "operator of another company": "200",
  admin: "200",
};

/** Operations for anyone read no token: whatever is sent, the answer is the same. */
function anyone(outcome: string): Row {
  return Object.fromEntries(senders.map((sender) => [sender, outcome])) as Row;
}

/** Who may call what, as decision D3 says it; a new operation fails until it is added here on purpose. */
const expected: Record<string, Row> = {
  "bulk-update-timesheets": {
    ...notSignedIn,
    driver: refused,
    client: refused,
    operator: "200",
    "operator of another company": "404 records_not_found",
    admin: "200",
  },
  "list-invoices": {
    ...notSignedIn,
    driver: refused,
    client: "200 with 2",
    operator: "200 with 2",
    "operator of another company": "200 with 0",
    admin: "200 with 2",
  },
  "list-timesheets": {
    ...notSignedIn,
    driver: refused,
    client: refused,
    operator: "200 with 2",
    "operator of another company": "200 with 0",
    admin: "200 with 2",
  },
  "list-jobs": {
    ...notSignedIn,
    driver: refused,
    client: refused,
    operator: "200 with 2",
    "operator of another company": "200 with 0",
    admin: "200 with 2",
  },
  "adjust-job-timers": {
    ...notSignedIn,
    driver: refused,
    client: refused,
    operator: refused,
    "operator of another company": refused,
    admin: "200",
  },
  "request-password-reset": anyone("200"),
  "confirm-login": anyone("422 pin_invalid"),
  "list-notifications": {
    ...notSignedIn,
    driver: "200 with 0",
    client: "200 with 0",
    operator: "200 with 0",
    "operator of another company": "200 with 0",
    admin: "200 with 0",
  },
  "register-device-token": everySignedInUser,
  "remove-device-token": everySignedInUser,
  "mark-notifications": everySignedInUser,
  "get-unread-counts": { ...everySignedInUser, driver: refused, client: refused },
  "sign-in": anyone("401 login_invalid"),
  "refresh-token": anyone("401 refresh_token_invalid"),
  "sign-out": everySignedInUser,
  "register-user": anyone("200"),
  "confirm-login-by-body": anyone("422 pin_invalid"),
  "set-password": anyone("422 reset_token_invalid"),
  "get-profile": everySignedInUser,
  "get-health": anyone("200"),
  "get-key-set": anyone("200"),
  "get-openapi": anyone("200"),
};

let bearers: Record<Sender, string | undefined>;

beforeAll(async () => {
  await rotate();
  const password = "a harbour before dawn";
  const login = "client@example.com";
  await store([
    ...Object.values(users).map(({ id, role, company_id }) =>
      userLine(id, { role, financial_company_id: company_id, ...(role === "client" && { email: login, password }) }),
    ),
    timesheetLine(1, 1),
    timesheetLine(2, 1),
    invoiceLine(1, 1),
    invoiceLine(2, 1),
    jobLine(1, 1),
    jobLine(2, 1),
  ]);
  const signedIn = await call(signInHandler, signIn, { body: { user: { login, password } } });
  await call(resetHandler, requestPasswordReset, { body: { user: { login } } });
  await deliverPins();
  const body = { user: { login, pin: newestPin(service.inbox, login) } };
  const confirmed = await call(confirmHandler, confirmLoginByBody, { body });
  const longAgo = new Date(Date.now() - 16 * 60_000);
  const userTokens = await Promise.all(
    Object.entries(users).map(async ([name, user]) => [name, await tokenOf(user)] as const),
  );
  bearers = {
    ...(Object.fromEntries(userTokens) as Record<keyof typeof users, string>),
    nobody: undefined,
    garbage: "garbage",
    "an expired token": await tokenOf(users.admin, {}, longAgo),
    "a token for another audience": await tokenOf(users.admin, { aud: "another-api" }),
    "a refresh token": signedIn.body.token.refresh_token,
    "a reset token": confirmed.body.user.reset_password_token,
  };
});

beforeEach(async () => {
  await forgetThrottles(service);
  // Senders that may do so have moved the timesheets meanwhile.
  await tally([
    ["timesheet", 1],
    ["timesheet", 2],
  ]);
});

test("D3: every operation of the contract has its row in the table, and every row its operation", () => {
  expect(endpoints.map(({ name }) => name).sort()).toEqual(Object.keys(expected).sort());
});

describe.each(endpoints)("D3: $name", ({ name, operation, handler, sample }) => {
  test.each(senders)("%s gets what the table says", async (sender) => {
    // Sample events leave the pin open; nobody has this one.
    const { parameters, query, body } = JSON.parse(JSON.stringify(sample).replaceAll("{{pin}}", "000000"));
    const bearer = bearers[sender];
    const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const answer = await call(handler, operation, { parameters, query, body, headers });
    const listed =
      operation.list && operation.list in answer.body && /list/.test(name) ? answer.body[operation.list] : undefined;
    const about = answer.status === 200 ? listed && `with ${listed.length}` : answer.body.code;
    expect([answer.status, about].filter(Boolean).join(" ")).toBe(expected[name]?.[sender]);
  });
});

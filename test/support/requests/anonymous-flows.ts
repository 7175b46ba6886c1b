import { handler as confirmHandler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { handler as registerHandler } from "../../../functions/accounts/register-user.ts";
import { handler as resetHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { confirmLoginByBody, registerUser, requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { userKey } from "../../../shared/db/accounts/users.ts";
import { updateIf } from "../../../shared/db/table/table.ts";
import { userLine } from "../records/records.ts";
import { store } from "../records/store.ts";
import { call, type TestAnswer } from "./call.ts";
import { deliverPins } from "./pins.ts";

/** What a stranger sends for a login that may be known. */
export interface AnonymousFlow {
  readonly name: string;
  /** Its status for known and unknown logins. */
  readonly status: number;
  send(login: string): Promise<TestAnswer>;
  /** Done once for all logins, known and unknown, before any is sent. */
  prepare?(logins: readonly string[]): Promise<void>;
}

const user = { password: "a harbour before dawn", first_name: "Robin", last_name: "Field" };

const reset: AnonymousFlow = {
  name: "a password request",
  status: 200,
  send: (login) => call(resetHandler, requestPasswordReset, { body: { user: { login } } }),
};

const wrongPin: AnonymousFlow = {
  name: "a wrong pin while none is live",
  status: 422,
  send: (login) => call(confirmHandler, confirmLoginByBody, { body: { user: { login, pin: "000000" } } }),
};

/** The flows whose answers must not tell a known login from an unknown one, by their time either. */
export const anonymousFlows: readonly AnonymousFlow[] = [
  {
    name: "a sign-in",
    status: 401,
    send: (login) => call(signInHandler, signIn, { body: { user: { login, password: "not the password" } } }),
  },
  wrongPin,
  {
    ...wrongPin,
    name: "a wrong pin while one is live",
    prepare: async (logins) => {
      for (const login of logins) await reset.send(login);
      await deliverPins();
    },
  },
  reset,
  {
    name: "a registration",
    status: 200,
    send: (login) => call(registerHandler, registerUser, { body: { user: { login, ...user } } }),
  },
];

/** Costs of stored hashes: today's, and those that a sign-in would renew. */
const costs = ["m=19456,t=2", "m=9728,t=2", "m=19456,t=1", "m=2432,t=2"];

/** Stores so many users, whose passwords were hashed at today's cost and at older ones in turn; gives their logins. */
export async function storeKnownLogins(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const logins = ids.map((id) => `known-${id}@example.com`);
  await store(ids.map((id) => userLine(id, { email: `known-${id}@example.com` })));
  for (const id of ids) {
    const hash = `$argon2id$v=19$${costs[id % costs.length]},p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
    const values = { ":hash": hash };
    await updateIf({
      Key: userKey(id),
      UpdateExpression: "SET password_hash = :hash",
      ExpressionAttributeValues: values,
    });
  }
  return logins;
}

/** As many logins of nobody, as long as the known ones. */
export function unknownLogins(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `other-${index + 1}@example.com`);
}

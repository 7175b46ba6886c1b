import { expect } from "vitest";
import { handler as confirmLoginHandler } from "../../../../functions/accounts/confirm-login.ts";
import { handler as confirmLoginByBodyHandler } from "../../../../functions/accounts/confirm-login-by-body.ts";
import { handler as registerUserHandler } from "../../../../functions/accounts/register-user.ts";
import { handler as requestPasswordResetHandler } from "../../../../functions/accounts/request-password-reset.ts";
import { handler as setPasswordHandler } from "../../../../functions/accounts/set-password.ts";
import { handler as endSessionHandler } from "../../../../functions/sessions/end-session.ts";
import { handler as refreshHandler } from "../../../../functions/sessions/refresh-token.ts";
import { handler as signInHandler } from "../../../../functions/sessions/sign-in.ts";
import { handler as signOutHandler } from "../../../../functions/sessions/sign-out.ts";
import { pinIn } from "../../../../infra/local/aws/message-pin.ts";
import {
  confirmLogin,
  confirmLoginByBody,
  registerUser,
  requestPasswordReset,
  setPassword,
} from "../../../../shared/contract/accounts.ts";
import type { Operation } from "../../../../shared/contract/operation.ts";
import { endSession, refreshToken, signIn, signOut } from "../../../../shared/contract/sessions.ts";
import type { HttpHandler } from "../../../../shared/http/endpoint.ts";
import { primeVerification } from "../../../../shared/startup/priming.ts";
import { userLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { call, type TestRequest } from "../../../support/requests/call.ts";
import { deliverPins, newestPin } from "../../../support/requests/pins.ts";
import { refreshWith } from "../../../support/requests/sessions.ts";
import type { Service } from "../../../support/service/service.ts";
import { takeMessages } from "../../../support/workers/queues.ts";
import { addressOf, type LossPlan, newId, request, type Scenario } from "./scenario.ts";

const password = "seven quiet harbours";
const newPassword = "eleven loud lanterns";

/** A client with a login of its own, which a user has. */
async function newUser() {
  const client = newClient();
  await store([userLine(client.id, { email: client.login, password })]);
  return client;
}

function newClient() {
  const id = newId();
  return { id, login: `user-${id}@example.com`, from: addressOf(id) };
}

type Client = ReturnType<typeof newClient>;

async function signedIn(client: Client | Promise<Client> = newUser()) {
  const { login, from } = await client;
  return (await call(signInHandler, signIn, { body: { user: { login, password } }, from })).body.token;
}

/** The status of a renewal with a session's refresh token. */
async function refreshStatus(refresh_token: string): Promise<number> {
  return (await refreshWith(refresh_token)).status;
}

/** The plans of sessions. */
export const sessionLosses = {
  "sign-in": {
    holds: "the session that is answered renews (D5)",
    loses: "PutItem",
    prepare: async () => {
      const { login, from } = await newUser();
      let answered = "";
      const sent = { body: { user: { login, password } }, from };
      return {
        attempt: request(signInHandler, signIn, sent, ({ body }) => {
          answered = body.token.refresh_token;
        }),
        check: async () => expect(await refreshStatus(answered)).toBe(200),
      };
    },
  },
  "refresh-token": {
    holds: "nobody is signed out (D5)",
    loses: "UpdateItem",
    prepare: async () => {
      const { refresh_token } = await signedIn();
      let next = "";
      const sent = { body: { token: { refresh_token } } };
      return {
        attempt: request(refreshHandler, refreshToken, sent, ({ body }) => {
          next = body.token.refresh_token;
        }),
        check: async () => expect(await refreshStatus(next)).toBe(200),
      };
    },
  },
  "sign-out": {
    holds: "the session ends (D5)",
    loses: "UpdateItem",
    prepare: async () => {
      const { access_token, refresh_token } = await signedIn();
      const headers = { authorization: `Bearer ${access_token}` };
      // Else the read of the keys would be the first call of some runs and not of others.
      await primeVerification();
      return {
        attempt: request(signOutHandler, signOut, { headers }),
        check: async () => expect(await refreshStatus(refresh_token)).toBe(401),
      };
    },
  },
  "end-session": {
    holds: "the session ends, and the one that it is asked from goes on (D5)",
    loses: "UpdateItem",
    prepare: async () => {
      const client = await newUser();
      const [ended, own] = [await signedIn(client), await signedIn(client)];
      const headers = { authorization: `Bearer ${own.access_token}` };
      const id = ended.refresh_token.split(".")[1] ?? "";
      await primeVerification();
      return {
        attempt: request(endSessionHandler, endSession, { headers, parameters: { id } }),
        check: async () => {
          expect(await refreshStatus(ended.refresh_token)).toBe(401);
          expect(await refreshStatus(own.refresh_token)).toBe(200);
        },
      };
    },
  },
} as const satisfies Record<string, LossPlan>;

/** The plans of accounts, whose messages arrive in the inbox of the service. */
export function accountLosses(service: Service) {
  /** Expects one message or two after a request for a pin, with one pin, that confirms the login. */
  async function expectOnePin({ login, from }: Client): Promise<void> {
    await deliverPins();
    const pins = service.inbox.entries().map(({ text }) => pinIn(text));
    expect(pins.length).toBeGreaterThanOrEqual(1);
    expect(pins.length).toBeLessThanOrEqual(2);
    expect(new Set(pins).size).toBe(1);
    const sent = { body: { user: { login, pin: pins[0] } }, from };
    expect((await call(confirmLoginByBodyHandler, confirmLoginByBody, sent)).status).toBe(200);
  }

  async function forgetMessages(): Promise<void> {
    await takeMessages("PIN_QUEUE_URL");
    service.inbox.clear();
  }

  async function askedForPin(): Promise<Client & { readonly pin: string }> {
    const client = await newUser();
    const { login, from } = client;
    await call(requestPasswordResetHandler, requestPasswordReset, { body: { user: { login } }, from });
    await deliverPins();
    return { ...client, pin: newestPin(service.inbox, login) };
  }

  function resets(client: Client, reset_password_token: string): TestRequest {
    const user = { reset_password_token, password: newPassword, password_confirmation: newPassword };
    return { body: { user }, from: client.from };
  }

  async function prepareConfirmation(
    handler: HttpHandler,
    operation: Operation,
    sentBy: (user: object) => TestRequest,
  ): Promise<Scenario> {
    const { pin, ...client } = await askedForPin();
    const answered = new Set<string>();
    const sent = { ...sentBy({ login: client.login, pin }), from: client.from };
    return {
      attempt: request(handler, operation, sent, ({ body }) => answered.add(body.user.reset_password_token)),
      check: async () => {
        const again = await call(handler, operation, sent);
        expect([again.status, again.body.user.reset_password_token]).toEqual([200, ...answered]);
        const reset = resets(client, again.body.user.reset_password_token);
        expect((await call(setPasswordHandler, setPassword, reset)).status).toBe(200);
      },
    };
  }

  return {
    "register-user": {
      holds: "one pin is sent, or the same once more, and it registers (D9, D16)",
      loses: "SendMessage",
      prepare: async () => {
        const client = newClient();
        await forgetMessages();
        const user = { login: client.login, password, first_name: "Ada", last_name: "Holt" };
        return {
          attempt: request(registerUserHandler, registerUser, { body: { user }, from: client.from }),
          check: () => expectOnePin(client),
        };
      },
    },
    "request-password-reset": {
      holds: "one pin is sent, or the same once more, and it confirms (D9)",
      loses: "SendMessage",
      prepare: async () => {
        const client = await newUser();
        await forgetMessages();
        const sent = { body: { user: { login: client.login } }, from: client.from };
        return {
          attempt: request(requestPasswordResetHandler, requestPasswordReset, sent),
          check: () => expectOnePin(client),
        };
      },
    },
    "confirm-login": {
      holds: "the pin is answered again with the same reset token, which sets a password (D13)",
      loses: "TransactWriteItems",
      prepare: () =>
        prepareConfirmation(confirmLoginHandler, confirmLogin, (user) => ({
          query: user as TestRequest["query"] & {},
        })),
    },
    "confirm-login-by-body": {
      holds: "the pin is answered again with the same reset token, which sets a password (D13)",
      loses: "TransactWriteItems",
      prepare: () => prepareConfirmation(confirmLoginByBodyHandler, confirmLoginByBody, (user) => ({ body: { user } })),
    },
    "set-password": {
      holds: "the password is set, earlier sessions end, and the token is answered again (D14)",
      loses: "TransactWriteItems",
      prepare: async () => {
        const { pin, ...client } = await askedForPin();
        const { login, from } = client;
        const session = await call(signInHandler, signIn, { body: { user: { login, password } }, from });
        const confirmed = await call(confirmLoginByBodyHandler, confirmLoginByBody, {
          body: { user: { login, pin } },
          from,
        });
        const sent = resets(client, confirmed.body.user.reset_password_token);
        return {
          attempt: request(setPasswordHandler, setPassword, sent),
          check: async () => {
            expect((await call(setPasswordHandler, setPassword, sent)).status).toBe(200);
            expect(await refreshStatus(session.body.token.refresh_token)).toBe(401);
            const signedInAgain = { body: { user: { login, password: newPassword } }, from };
            expect((await call(signInHandler, signIn, signedInAgain)).status).toBe(200);
          },
        };
      },
    },
  } as const satisfies Record<string, LossPlan>;
}

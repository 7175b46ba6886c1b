import { expect } from "vitest";
import { handler as confirmLoginHandler } from "../../../../functions/accounts/confirm-login.ts";
import { handler as endSessionHandler } from "../../../../functions/sessions/end-session.ts";
import { handler as signOutHandler } from "../../../../functions/sessions/sign-out.ts";
import { pinIn } from "../../../../infra/local/message-pin.ts";
import { confirmLogin } from "../../../../shared/contract/accounts.ts";
import { endSession, signOut } from "../../../../shared/contract/sessions.ts";
import { primeVerification } from "../../../../shared/priming.ts";
import { callerLine, userLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import {
  askPin,
  register,
  requestPin,
  setNewPassword,
  tryPassword,
  tryPin,
} from "../../../support/requests/accounts.ts";
import { askForKey, deleteKey, keyOf, listKeys } from "../../../support/requests/api-keys.ts";
import { call, type TestAnswer } from "../../../support/requests/call.ts";
import { deliverPins, newestPin } from "../../../support/requests/pins.ts";
import { bearerOf, familyOf, refreshWith, signInAs } from "../../../support/requests/sessions.ts";
import type { Service } from "../../../support/service/service.ts";
import type { TestUser } from "../../../support/tokens/tokens.ts";
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

/** A user whom a test's token names. */
async function newCaller(): Promise<TestUser> {
  const user = { id: newId(), role: "operator", company_id: 1 } as const;
  await store([callerLine(user, { password })]);
  return user;
}

function newClient() {
  const id = newId();
  return { id, login: `user-${id}@example.com`, from: addressOf(id) };
}

type Client = ReturnType<typeof newClient>;

/** The status of a renewal with a session's refresh token. */
async function refreshStatus(refresh_token: string): Promise<number> {
  return (await refreshWith(refresh_token)).status;
}

/** A request whose answer has a refresh token, which renews. */
function prepareRenewal(send: () => Promise<TestAnswer>): Scenario {
  let answered = "";
  return {
    attempt: request(send, ({ body }) => {
      answered = body.token.refresh_token;
    }),
    check: async () => expect(await refreshStatus(answered)).toBe(200),
  };
}

/** The plans of sessions. */
export const sessionLosses = {
  "sign-in": {
    holds: "the session that is answered renews (D5)",
    loses: "PutItem",
    prepare: async () => {
      const { login, from } = await newUser();
      return prepareRenewal(() => tryPassword(login, password, { from }));
    },
  },
  "refresh-token": {
    holds: "nobody is signed out (D5)",
    loses: "UpdateItem",
    prepare: async () => {
      const { refresh_token } = await signInAs((await newUser()).login, password);
      return prepareRenewal(() => refreshWith(refresh_token));
    },
  },
  "sign-out": {
    holds: "the session ends (D5)",
    loses: "UpdateItem",
    prepare: async () => {
      const tokens = await signInAs((await newUser()).login, password);
      // Else the read of the keys would be the first call of some runs and not of others.
      await primeVerification();
      return {
        attempt: request(() => call(signOutHandler, signOut, bearerOf(tokens))),
        check: async () => expect(await refreshStatus(tokens.refresh_token)).toBe(401),
      };
    },
  },
  "end-session": {
    holds: "the session ends, and the one that it is asked from goes on (D5)",
    loses: "UpdateItem",
    prepare: async () => {
      const { login } = await newUser();
      const [ended, own] = [await signInAs(login, password), await signInAs(login, password)];
      await primeVerification();
      const sent = { ...bearerOf(own), parameters: { id: familyOf(ended) } };
      return {
        attempt: request(() => call(endSessionHandler, endSession, sent)),
        check: async () => {
          expect(await refreshStatus(ended.refresh_token)).toBe(401);
          expect(await refreshStatus(own.refresh_token)).toBe(200);
        },
      };
    },
  },
  "create-api-key": {
    holds: "one key has the name, and a repetition names it (D46)",
    loses: "TransactWriteItems",
    prepare: async () => {
      const user = await newCaller();
      return {
        // A repetition after the key was made is its end, too.
        attempt: async () => [200, 422].includes((await askForKey(user, { password })).status),
        check: async () => {
          const { keys } = (await listKeys(user)).body;
          expect(keys).toMatchObject([{ name: "Nightly export" }]);
          const again = await askForKey(user, { password });
          expect(again.body.errors).toMatchObject([
            { code: "taken", detail: expect.stringContaining(String(keys[0].id)) },
          ]);
        },
      };
    },
  },
  "delete-api-key": {
    holds: "the key ends, and the others go on (D46)",
    loses: "TransactWriteItems",
    prepare: async () => {
      const user = await newCaller();
      const [ended, kept] = [await keyOf(user.id), await keyOf(user.id)];
      return {
        attempt: request(() => deleteKey(user, ended.id)),
        check: async () => expect((await listKeys(user)).body.keys).toMatchObject([{ id: kept.id }]),
      };
    },
  },
} as const satisfies Record<string, LossPlan>;

/** The plans of accounts, whose messages arrive in the inbox of the service. */
export function accountLosses(service: Service) {
  /** A request for a pin, which causes one message or two with one pin, that confirms the login. */
  async function preparePin(client: Client, send: () => Promise<TestAnswer>): Promise<Scenario> {
    await takeMessages("PIN_QUEUE_URL");
    service.inbox.clear();
    return {
      attempt: request(send),
      check: async () => {
        await deliverPins();
        const pins = service.inbox.entries().map(({ text }) => pinIn(text));
        expect(pins.length).toBeGreaterThanOrEqual(1);
        expect(pins.length).toBeLessThanOrEqual(2);
        expect(new Set(pins).size).toBe(1);
        expect((await tryPin(client.login, pins[0] ?? "", client)).status).toBe(200);
      },
    };
  }

  async function askedForPin(): Promise<Client & { readonly pin: string }> {
    const client = await newUser();
    await requestPin(client.login, client);
    return { ...client, pin: newestPin(service.inbox, client.login) };
  }

  async function prepareConfirmation(
    confirm: (client: Client & { readonly pin: string }) => Promise<TestAnswer>,
  ): Promise<Scenario> {
    const client = await askedForPin();
    const answered = new Set<string>();
    return {
      attempt: request(
        () => confirm(client),
        ({ body }) => answered.add(body.user.reset_password_token),
      ),
      check: async () => {
        const again = await confirm(client);
        const token = again.body.user.reset_password_token;
        expect([again.status, token]).toEqual([200, ...answered]);
        expect((await setNewPassword(token, newPassword, {}, client.from)).status).toBe(200);
      },
    };
  }

  return {
    "register-user": {
      holds: "one pin is sent, or the same once more, and it registers (D9, D16)",
      loses: "SendMessage",
      prepare: async () => {
        const client = newClient();
        return preparePin(client, () => register(client.login, {}, client));
      },
    },
    "request-password-reset": {
      holds: "one pin is sent, or the same once more, and it confirms (D9)",
      loses: "SendMessage",
      prepare: async () => {
        const client = await newUser();
        return preparePin(client, () => askPin(client.login, client));
      },
    },
    "confirm-login": {
      holds: "the pin is answered again with the same reset token, which sets a password (D13)",
      loses: "TransactWriteItems",
      prepare: () =>
        prepareConfirmation(({ login, pin, from }) =>
          call(confirmLoginHandler, confirmLogin, { query: { login, pin }, from }),
        ),
    },
    "confirm-login-by-body": {
      holds: "the pin is answered again with the same reset token, which sets a password (D13)",
      loses: "TransactWriteItems",
      prepare: () => prepareConfirmation((client) => tryPin(client.login, client.pin, client)),
    },
    "set-password": {
      holds: "the password is set, earlier sessions end, and the token is answered again (D14)",
      loses: "TransactWriteItems",
      prepare: async () => {
        const { pin, ...client } = await askedForPin();
        const session = await signInAs(client.login, password);
        const { reset_password_token: token } = (await tryPin(client.login, pin, client)).body.user;
        const send = () => setNewPassword(token, newPassword, {}, client.from);
        return {
          attempt: request(send),
          check: async () => {
            expect((await send()).status).toBe(200);
            expect(await refreshStatus(session.refresh_token)).toBe(401);
            expect((await tryPassword(client.login, newPassword)).status).toBe(200);
          },
        };
      },
    },
  } as const satisfies Record<string, LossPlan>;
}

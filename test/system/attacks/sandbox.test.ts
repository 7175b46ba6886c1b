import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as refreshHandler } from "../../../functions/sessions/refresh-token.ts";
import { handler as deliverPin } from "../../../functions/workers/deliver-pin.ts";
import { refreshToken } from "../../../shared/contract/sessions.ts";
import { type AwsCall, watchCalls } from "../../support/faults/aws-calls.ts";
import { useSigningKey } from "../../support/records/own-user.ts";
import { companyLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { guessesAt } from "../../support/requests/guesses.ts";
import { newestPin, otherPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { confirmPin, requestPin, setNewPassword, signInWith } from "../../support/requests/recovery.ts";
import { sandboxPin, useSandbox } from "../../support/requests/sandbox.ts";
import { useService } from "../../support/service/service.ts";
import { queueEvent } from "../../support/workers/workers.ts";

const service = useService();
const companyId = 900;
const loginOf = (id: number) => `review-${id}@example.com`;
const password = "eleven loud lanterns";
let id = 9_100;
let login = "";

useSigningKey();
useSandbox({ companyId, logins: Array.from({ length: 30 }, (_, at) => loginOf(9_100 + at)) });
beforeAll(() => store([companyLine(1), companyLine(companyId, "Sandbox")]));
beforeEach(async () => {
  id += 1;
  login = loginOf(id);
  await become("driver");
  service.inbox.clear();
});

function become(role: string, company = companyId): Promise<void> {
  return store([userLine(id, { email: login, role, financial_company_id: company })]);
}

async function tokenByPin(from?: string): Promise<string> {
  await requestPin(login, from);
  return (await confirmPin(login, sandboxPin, from)).body.user.reset_password_token;
}

describe("D9: who knows the pin of the sandbox", () => {
  test("confirms no other login with it, of the same company neither", async () => {
    const others = [1, companyId].map((company, at) =>
      userLine(id + 1_000 + 1_000 * at, { financial_company_id: company }),
    );
    await store(others);
    for (const { email } of others) {
      await requestPin(email);
      expectProblem(await confirmPin(email, sandboxPin), 422, "pin_invalid");
    }
  });

  test("confirms nothing without a request of the login", async () => {
    expectProblem(await confirmPin(login, sandboxPin), 422, "pin_invalid");
  });

  describe.each([
    ["an operator", "operator", companyId],
    ["an admin", "admin", companyId],
    ["a driver of another company", "driver", 1],
  ])("gets nothing of a user who became %s", (_, role, company) => {
    test("by a pin that was asked for before", async () => {
      await requestPin(login);
      await become(role, company);
      expectProblem(await confirmPin(login, sandboxPin), 422, "pin_invalid");
    });

    test("by the repetition of an answer that it got before", async () => {
      const from = "192.0.2.60";
      await tokenByPin(from);
      await become(role, company);
      expectProblem(await confirmPin(login, sandboxPin, from), 422, "pin_invalid");
    });

    test("by a reset token that it was given before", async () => {
      const token = await tokenByPin();
      await become(role, company);
      expectProblem(await setNewPassword(token, password), 422, "reset_token_invalid");
    });

    test("by the password that it set and the session that it opened before, until the user has set one with a pin", async () => {
      await setNewPassword(await tokenByPin(), password);
      const { refresh_token } = (await signInWith(login, password)).body.token;
      await become(role, company);
      expectProblem(await signInWith(login, password), 401, "login_invalid");
      const body = { token: { refresh_token } };
      expectProblem(await call(refreshHandler, refreshToken, { body }), 401, "refresh_token_invalid");
      vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
      await requestPin(login);
      const { user } = (await confirmPin(login, newestPin(service.inbox, login))).body;
      await setNewPassword(user.reset_password_token, "nine patient ferries");
      expect((await signInWith(login, "nine patient ferries")).status).toBe(200);
      expectProblem(await call(refreshHandler, refreshToken, { body }), 401, "refresh_token_invalid");
      vi.useRealTimers();
    });
  });

  test("signs in again as a user who came back, and as one whose password was imported only with that one", async () => {
    await setNewPassword(await tokenByPin(), password);
    await become("operator");
    expectProblem(await signInWith(login, password), 401, "login_invalid");
    await become("driver");
    expect((await signInWith(login, password)).status).toBe(200);
    const imported = {
      email: login,
      role: "operator",
      financial_company_id: companyId,
      password: "nine patient ferries",
    };
    await store([userLine(id, imported)]);
    expectProblem(await signInWith(login, password), 401, "login_invalid");
    expect((await signInWith(login, imported.password)).status).toBe(200);
  });
});

describe("D10: the pin of the sandbox", () => {
  test("forgives no try of its login, counts as one itself, and makes no client known", async () => {
    await requestPin(login);
    expectProblem(await confirmPin(login, otherPin(sandboxPin)), 422, "pin_invalid");
    const token = (await confirmPin(login, sandboxPin)).body.user.reset_password_token;
    expect((await setNewPassword(token, password)).status).toBe(200);
    const guesses = await guessesAt(login);
    expect(guesses).toMatchObject({ pin_streak: 2, recovered_by: null, recovered_to: 0 });
    expect(guesses.pins).toHaveLength(2);
  });

  test("gives its client nothing back of what it failed elsewhere", async () => {
    const from = "192.0.2.61";
    const victims = Array.from({ length: 29 }, (_, at) => `victim-${at}@example.com`);
    for (const victim of victims) expectProblem(await confirmPin(victim, "000000", from), 422, "pin_invalid");
    await requestPin(login);
    expect((await confirmPin(login, sandboxPin, from)).status).toBe(200);
    expectProblem(await confirmPin("victim-30@example.com", "000000", from), 429, "too_many_requests");
  });

  test("is compared five times for a client, as any other", async () => {
    const from = "192.0.2.62";
    await requestPin(login);
    for (let further = 1; further <= 5; further += 1) {
      expectProblem(await confirmPin(login, otherPin(sandboxPin, further), from), 422, "pin_invalid");
    }
    expectProblem(await confirmPin(login, sandboxPin, from), 422, "pin_invalid");
    expect((await confirmPin(login, sandboxPin)).status).toBe(200);
  });

  test("is asked for as often as any other: three times in ten minutes by a client", async () => {
    const from = "192.0.2.63";
    const start = Date.now();
    for (const minute of [0, 2, 4]) {
      vi.useFakeTimers({ now: start + minute * 60_000, toFake: ["Date"] });
      expect((await requestPin(login, from)).status).toBe(200);
    }
    vi.setSystemTime(start + 6 * 60_000);
    expectProblem(await requestPin(login, from), 429, "too_many_requests");
    vi.useRealTimers();
  });
});

describe("D12: nobody sees which logins are of the sandbox", () => {
  test("by the answer to a request for a pin, or to a wrong one", async () => {
    const other = `user-${id}@example.com`;
    await store([userLine(id + 5_000, { email: other })]);
    for (const flow of [requestPin, (each: string) => confirmPin(each, "000000")]) {
      const [own, its] = [await flow(login), await flow(other)];
      expect(comparable(own, login)).toEqual(comparable(its, other));
    }
  });

  test("by the calls that a request, a wrong pin or a right one waits for: those of other logins, or fewer at once", async () => {
    const other = `user-${id}@example.com`;
    await store([userLine(id + 6_000, { email: other, financial_company_id: companyId })]);
    await requestPin(other);
    const pin = newestPin(service.inbox, other);
    await requestPin(login);
    const wrong = [await waves(() => confirmPin(login, "000000")), await waves(() => confirmPin(other, "000000"))];
    expect(wrong[0]).toEqual(wrong[1]);
    const right = [await waves(() => confirmPin(login, sandboxPin)), await waves(() => confirmPin(other, pin))];
    expect(right[1]).toEqual(expect.arrayContaining(right[0] ?? []));
  });

  test("the worker reads for a login that is not listed what it read without a sandbox", async () => {
    const other = `user-${id}@example.com`;
    await store([userLine(id + 7_000, { email: other })]);
    const request = { login: other, channel: "email", digits: 6 };
    const deliver = (requestedAt: Date) => {
      const validTo = new Date(requestedAt.getTime() + 600_000);
      return deliverPin(queueEvent({ ...request, requestId: requestedAt.toISOString(), requestedAt, validTo }));
    };
    const listed = await waves(() => deliver(new Date()));
    vi.stubEnv("SANDBOX", "");
    const without = await waves(() => deliver(new Date(Date.now() + 1)));
    vi.unstubAllEnvs();
    expect(listed).toEqual(without);
  });
});

const calls: AwsCall[] = [];
watchCalls((made, send) => {
  calls.push(made);
  return send();
});

/** The calls that work makes, by service and kind, sorted. */
async function waves(work: () => Promise<unknown>): Promise<string[]> {
  calls.length = 0;
  await work();
  return calls.map(({ service: of, command }) => `${of} ${command}`).toSorted();
}

/** An answer without what differs between any two: ids and moments. */
function comparable({ status, headers, body }: Awaited<ReturnType<typeof requestPin>>, own: string) {
  const text = JSON.stringify(body).replaceAll(own, "LOGIN");
  const shown = text.replaceAll(/"id":\d+/g, '"id":0').replaceAll(/"(pin_valid_to|request_id)":"[^"]+"/g, '"$1":""');
  return { status, headers: Object.keys(headers).toSorted(), body: shown };
}

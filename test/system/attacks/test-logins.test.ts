import { beforeAll, expect, test, vi } from "vitest";
import { handler as requestHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as deliverPin } from "../../../functions/workers/deliver-pin.ts";
import { requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { testPin, useTestLogins } from "../../accounts/test-logins.ts";
import { type AwsCall, watchCalls } from "../../support/faults/aws-calls.ts";
import { useSigningKey } from "../../support/records/own-user.ts";
import { companyLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { tryPin } from "../../support/requests/accounts.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
import { deliverPins, forgetPinsOf, newestPin, pinMessage } from "../../support/requests/pins.ts";
import { useService } from "../../support/service/service.ts";
import { queueEvent } from "../../support/workers/workers.ts";

const service = useService();
const companyId = 900;
const login = "review@example.com";
const other = "driver@example.com";

useSigningKey();
useTestLogins({ companyId, logins: [login] });
beforeAll(async () => {
  const ofCompany = { role: "driver", financial_company_id: companyId };
  const users = [login, other].map((email, index) => userLine(9_001 + index, { email, ...ofCompany }));
  await store([companyLine(companyId, "Test"), ...users]);
  // The HMAC key is read once.
  await tryPin("first@example.com", "000000");
});

const calls: AwsCall[] = [];
watchCalls((made, send) => {
  calls.push(made);
  return send();
});

/** The AWS calls that work makes, each with the number of its items, sorted. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  calls.length = 0;
  await work();
  const made = calls.map(({ service: of, command, input }) => {
    const { TransactItems = [] } = input as { TransactItems?: unknown[] };
    return `${of} ${command} ${TransactItems.length}`;
  });
  return made.toSorted();
}

test.each([
  ["request for a pin", (of: string) => call(requestHandler, requestPasswordReset, { body: { user: { login: of } } })],
  ["wrong pin", (of: string) => tryPin(of, "000000")],
  ["wrong pin of twelve digits", (of: string) => tryPin(of, "000000000000")],
  ["right pin", (of: string) => tryPin(of, of === login ? testPin : newestPin(service.inbox, of))],
])("D12: neither the answer to a %s nor the calls it waits for show that a login is a test login", async (_, send) => {
  const answers: object[] = [];
  const made: string[][] = [];
  for (const of of [login, other]) {
    made.push(await callsOf(async () => answers.push(comparable(await send(of), of))));
    await deliverPins();
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(made[0]).toEqual(made[1]);
});

test("the worker does for a login that is not listed what it does in a stage without test logins", async () => {
  const deliver = async () => {
    await forgetPinsOf(other);
    calls.length = 0;
    await deliverPin(queueEvent(pinMessage(other)));
  };
  const listed = await callsOf(deliver);
  vi.stubEnv("TEST_LOGINS", "");
  const without = await callsOf(deliver);
  vi.unstubAllEnvs();
  expect(listed).toEqual(without);
});

/** An answer without what differs between any two: ids, tokens, moments and the login. */
function comparable({ status, headers, body }: TestAnswer, of: string): object {
  const shown = JSON.stringify(body)
    .replaceAll(of, "LOGIN")
    .replaceAll(/"id":\d+/g, '"id":0')
    .replaceAll(/"(pin_valid_to|request_id|reset_password_token)":"[^"]+"/g, '"$1":""');
  return { status, headers: Object.keys(headers).toSorted(), body: shown };
}

import { beforeAll, expect, test, vi } from "vitest";
import { handler as deliverPin } from "../../../functions/workers/deliver-pin.ts";
import { testPin, useTestLogins } from "../../accounts/test-logins.ts";
import { useSigningKey } from "../../support/records/own-user.ts";
import { companyLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { askPin, tryPin } from "../../support/requests/accounts.ts";
import { deliverPins, forgetPinsOf, newestPin, pinMessage } from "../../support/requests/pins.ts";
import { useService } from "../../support/service/service.ts";
import { queueEvent } from "../../support/workers/workers.ts";
import { callsOf, shapeOf } from "./known-logins/visible-work.ts";

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

test.each([
  ["request for a pin", (of: string) => askPin(of)],
  ["wrong pin", (of: string) => tryPin(of, "000000")],
  ["wrong pin of twelve digits", (of: string) => tryPin(of, "000000000000")],
  ["right pin", (of: string) => tryPin(of, of === login ? testPin : newestPin(service.inbox, of))],
])("D12: neither the answer to a %s nor the calls it waits for show that a login is a test login", async (_, send) => {
  const shapes: string[] = [];
  const made: string[][] = [];
  for (const of of [login, other]) {
    made.push(await callsOf(async () => shapes.push(shapeOf(await send(of), of))));
    await deliverPins();
  }
  expect(shapes[0]).toBe(shapes[1]);
  expect(made[0]).toEqual(made[1]);
});

test("the worker does for a login that is not listed what it does in a stage without test logins", async () => {
  const deliver = async () => {
    await forgetPinsOf(other);
    return callsOf(() => deliverPin(queueEvent(pinMessage(other))));
  };
  const listed = await deliver();
  vi.stubEnv("TEST_LOGINS", "");
  const without = await deliver();
  vi.unstubAllEnvs();
  expect(listed).toEqual(without);
});

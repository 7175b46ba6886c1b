import { SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { requestPin } from "../../shared/people/ask-for-pin.ts";
import { confirm, type PinCompare, tryPins } from "../../shared/people/confirm.ts";
import { clientOfSubject, subjectOf } from "../../shared/people/limits.ts";
import type { Login } from "../../shared/people/typed-login.ts";
import { useNetwork } from "../support/faults/network.ts";
import { testContext } from "../support/records/contexts.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { deliverPins, newestPin, storedPin } from "../support/requests/pins.ts";
import { useService } from "../support/service/service.ts";
import { takeMessages } from "../support/workers/queues.ts";

const service = useService();
const network = useNetwork();
let userId = 8_500;
let login: Login;

beforeEach(async () => {
  userId += 1;
  login = { value: `asks-${userId}@example.com`, channel: "email" };
  await takeMessages("PIN_QUEUE_URL");
  service.inbox.clear();
});
afterEach(() => void vi.restoreAllMocks());

const address = "192.0.2.9";
const ask = (registers = false) =>
  requestPin({ login, requestId: crypto.randomUUID(), registers, address }, new Date());

test.each([
  false,
  true,
])("D12, D16: whoever asks within a minute of a request that was not queued has its pin sent (registration: %s)", async (registers) => {
  if (!registers) await store([userLine(userId, { email: login.value })]);
  vi.spyOn(SQSClient.prototype, "send").mockImplementation((() => Promise.reject(new Error("No queue"))) as never);
  await expect(ask(registers)).rejects.toThrow("No queue");
  vi.restoreAllMocks();
  await ask(registers);
  await deliverPins();
  expect(service.inbox.entries()).toHaveLength(1);
  const pin = newestPin(service.inbox, login.value);
  expect(await confirm(login, pin, "192.0.2.9", testContext())).toHaveProperty("reset_password_token");
});

test("P1: a request whose answer is lost makes one pin, its own", async () => {
  network.lose(3, "interrupted");
  await requestPin({ login, requestId: "request", registers: false, address }, new Date());
  expect(network.heal()).toBe("UpdateItem");
  expect(await storedPin(login.value)).toMatchObject({ request_id: "request", messages: 0, sent: 0 });
});

test("D9, D11: of 50 requests at once one makes the pin, and all have the same end", async () => {
  const ends = await Promise.all(Array.from({ length: 50 }, () => ask()));
  const stored = await storedPin(login.value);
  expect(stored).toMatchObject({ messages: 0, sent: 0, tries: 0 });
  expect(new Set(ends.map((validTo) => validTo.toISOString()))).toEqual(new Set([stored?.valid_to]));
});

test("D10: of 25 right tries at once, all of which found tries left, 20 may be answered", async () => {
  await ask();
  const isRight: PinCompare = (pin) => pin !== undefined;
  const client = await clientOfSubject("pin", login.value, "192.0.2.9");
  expect(client).toMatch(/^[0-9a-f]{24}$/);
  const guess = { login: await subjectOf("pin", login.value), client, isRight };
  const tries = await Promise.all(Array.from({ length: 25 }, () => tryPins(guess, new Date())));
  const admitted = await Promise.all(tries.map(async ({ pin, isAdmitted }) => (await isAdmitted) && pin));
  expect(admitted.filter(Boolean)).toHaveLength(20);
});

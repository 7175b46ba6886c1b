import { TransactionInProgressException, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { confirm } from "../../shared/accounts/confirmation.ts";
import { countPinRequest } from "../../shared/accounts/count-pin-request.ts";
import { tableClient } from "../../shared/db/table/table.ts";
import type { Login } from "../../shared/domain/accounts/login.ts";
import { testContext } from "../support/records/contexts.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { faultsOf } from "../support/records/writes.ts";
import { deliverPins, newestPin } from "../support/requests/pins.ts";
import { useService } from "../support/service/service.ts";

const service = useService();
const address = "192.0.2.9";
let userId = 8_500;
let login: Login;

beforeEach(() => {
  userId += 1;
  login = { value: `asks-${userId}@example.com`, channel: "email" };
  service.inbox.clear();
});
afterEach(() => void vi.restoreAllMocks());

const ask = async ({ registers } = { registers: false }) => {
  const pin = await countPinRequest({ login, address, requestId: crypto.randomUUID(), registers }, new Date());
  await pin.send();
};

/** Whoever asks next has the pin sent; it is right. */
async function expectSentBy(request: typeof ask): Promise<void> {
  await request();
  await deliverPins();
  expect(service.inbox.entries()).toHaveLength(1);
  const pin = newestPin(service.inbox, login.value);
  expect(await confirm(login, pin, { address }, testContext())).toHaveProperty("reset_password_token");
}

test("D12, D18: a request that is refused as busy, and stored all the same, keeps its pin from nobody", async () => {
  await store([userLine(userId, { email: login.value })]);
  const client = tableClient();
  const send = client.send.bind(client);
  vi.spyOn(client, "send").mockImplementation((async (command: TransactWriteItemsCommand) => {
    const answer = await send(command);
    if (!(command instanceof TransactWriteItemsCommand)) return answer;
    throw new TransactionInProgressException({ message: "In progress", $metadata: {} });
  }) as typeof client.send);
  expect(await faultsOf(() => ask())).toEqual(["busy"]);
  vi.restoreAllMocks();
  await deliverPins();
  expect(service.inbox.entries()).toEqual([]);
  await expectSentBy(ask);
});

test("D12, D16: a registration that was not queued is sent as one by a request for a password", async () => {
  const refused = vi.spyOn(SQSClient.prototype, "send").mockImplementation(((command: unknown) => {
    expect(command).toBeInstanceOf(SendMessageCommand);
    return Promise.reject(new Error("The queue does not answer"));
  }) as never);
  await expect(ask({ registers: true })).rejects.toThrow("The queue does not answer");
  expect(refused).toHaveBeenCalledOnce();
  vi.restoreAllMocks();
  await expectSentBy(ask);
});

import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, expect, test, vi } from "vitest";
import { confirm } from "../../shared/accounts/confirmation.ts";
import { countPinRequest } from "../../shared/accounts/count-pin-request.ts";
import { guesserOf } from "../../shared/accounts/requester.ts";
import { type Guesser, loginGuessesKey } from "../../shared/db/accounts/guesses.ts";
import { pinKey } from "../../shared/db/accounts/pins.ts";
import { userKey } from "../../shared/db/accounts/users.ts";
import { fromAttributes, toAttributes } from "../../shared/db/table/attributes.ts";
import { nameOf } from "../../shared/db/table/item-keys.ts";
import { type Key, tableClient } from "../../shared/db/table/table.ts";
import type { Login } from "../../shared/domain/accounts/login.ts";
import { testContext } from "../support/records/contexts.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { readItem } from "../support/records/writes.ts";
import { deliverPins, newestPin } from "../support/requests/pins.ts";
import { useService } from "../support/service/service.ts";

const service = useService();
const address = "192.0.2.7";
let userId = 8_000;

afterEach(() => void vi.restoreAllMocks());

async function newUser(): Promise<Login> {
  userId += 1;
  const value = `stale-${userId}@example.com`;
  await store([userLine(userId, { email: value })]);
  return { value, channel: "email" };
}

/** From now on eventually consistent reads of some items give what these are now, whatever becomes of them. */
async function freeze(...keys: readonly Key[]): Promise<void> {
  const stale = new Map(await Promise.all(keys.map(async (key) => [nameOf(key), await readItem(key)] as const)));
  const client = tableClient();
  const send = client.send.bind(client);
  vi.spyOn(client, "send").mockImplementation((async (command: GetItemCommand) => {
    const name = nameOf(fromAttributes(command.input.Key ?? {}));
    const isStale = command instanceof GetItemCommand && !command.input.ConsistentRead && stale.has(name);
    const item = stale.get(name);
    return isStale ? { Item: item && toAttributes(item) } : send(command);
  }) as typeof client.send);
}

async function guesser(login: Login, isKnown = false): Promise<Guesser> {
  return guesserOf(login.value, { address, isKnown });
}

const ask = async (login: Login, { registers } = { registers: false }) => {
  const requestId = crypto.randomUUID();
  const now = new Date();
  const pin = await countPinRequest({ login, address: "127.0.0.1", requestId, registers }, now);
  await pin.send();
  return pin.validTo;
};

test("D11: a request shares no pin that is spent by now", async () => {
  const login = await newUser();
  await ask(login);
  await deliverPins();
  const pin = newestPin(service.inbox, login.value);
  await freeze(loginGuessesKey((await guesser(login)).loginHash));
  await confirm(login, pin, { address }, testContext());
  service.inbox.clear();
  await ask(login);
  await deliverPins();
  expect(service.inbox.entries()).toHaveLength(1);
});

test("D13: the right pin of a registration is answered again though its user was not there a moment ago", async () => {
  const login: Login = { value: `new-${userId}@example.com`, channel: "email" };
  await ask(login, { registers: true });
  await deliverPins();
  const pin = newestPin(service.inbox, login.value);
  const requester = { address };
  const stored = await readItem(pinKey(login.value));
  await freeze(userKey(Number(stored?.user_id)));
  const first = await confirm(login, pin, requester, testContext());
  expect(await confirm(login, pin, requester, testContext())).toEqual(first);
});

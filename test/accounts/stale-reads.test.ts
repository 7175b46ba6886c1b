import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, expect, test, vi } from "vitest";
import { confirm } from "../../shared/accounts/confirmation.ts";
import { requestPin } from "../../shared/accounts/pin-requests.ts";
import { userKey } from "../../shared/db/accounts/users.ts";
import { fromAttributes, toAttributes } from "../../shared/db/table/attributes.ts";
import { nameOf } from "../../shared/db/table/item-keys.ts";
import { type Key, tableClient } from "../../shared/db/table/table.ts";
import type { Login } from "../../shared/domain/accounts/login.ts";
import { testContext } from "../support/records/contexts.ts";
import { readItem } from "../support/records/writes.ts";
import { deliverPins, newestPin, storedPin } from "../support/requests/pins.ts";
import { useService } from "../support/service/service.ts";

const service = useService();
const address = "192.0.2.7";

afterEach(() => void vi.restoreAllMocks());

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

test("D13: the right pin of a registration is answered again though its user was not there a moment ago", async () => {
  const login: Login = { value: "new-8000@example.com", channel: "email" };
  await requestPin({ login, requestId: crypto.randomUUID(), registers: true }, new Date());
  await deliverPins();
  const pin = newestPin(service.inbox, login.value);
  await freeze(userKey(Number((await storedPin(login.value, "REGISTRATION"))?.user_id)));
  const first = await confirm(login, pin, address, testContext());
  expect(await confirm(login, pin, address, testContext())).toEqual(first);
});

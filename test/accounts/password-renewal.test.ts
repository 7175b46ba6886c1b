import { expect, test } from "vitest";
import { handler as notify } from "../../functions/workers/notify.ts";
import { secretKey } from "../../shared/db/accounts/user-secrets.ts";
import { replaceHash, userKey } from "../../shared/db/accounts/users.ts";
import { updateIf } from "../../shared/db/table/conditional-writes.ts";
import { getItem, type Item } from "../../shared/db/table/table.ts";
import { deriveArgon2id } from "../../shared/domain/accounts/argon2id.ts";
import { formatPasswordHash } from "../../shared/domain/accounts/password-hash.ts";
import { useSigningKey } from "../support/records/own-user.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { tryPassword } from "../support/requests/accounts.ts";
import { useService } from "../support/service/service.ts";
import { changeBy } from "../support/workers/events.ts";
import { takeMessages } from "../support/workers/queues.ts";
import { nothingFailed } from "../support/workers/workers.ts";

useService();
useSigningKey();

const password = "seven quiet harbours";

async function readUser(id: number): Promise<Item> {
  return (await getItem(userKey(id), { consistent: true })) ?? {};
}

async function readHash(id: number): Promise<unknown> {
  return (await getItem(secretKey("password", id), { consistent: true }))?.hash;
}

/** A user whose password was hashed at half of today's cost. */
async function storeOutdated(id: number): Promise<string> {
  await store([userLine(id, { password, passcode: "4711" })]);
  const [salt, cost] = [Buffer.alloc(16, 5), { memory: 9_728, passes: 2, parallelism: 1 }];
  const hash = formatPasswordHash(cost, salt, await deriveArgon2id(password, salt, 32, cost));
  await updateIf(secretKey("password", id), { set: { hash } });
  await updateIf(userKey(id), { set: { session_epoch: 3, reset_hash: "reset" } });
  return hash;
}

const signInAs = (id: number, sent: string) => tryPassword(`user-${id}@example.com`, sent);

test("D15: the right password renews an outdated hash, and leaves the user and the passcode alone", async () => {
  const outdated = await storeOutdated(1);
  const passcode = () => getItem(secretKey("passcode", 1), { consistent: true });
  const before = [await readUser(1), await passcode()];
  expect((await signInAs(1, "wrong horse battery")).status).toBe(401);
  expect(await readHash(1)).toBe(outdated);
  expect((await signInAs(1, password)).status).toBe(200);
  const renewed = await readHash(1);
  expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect((await signInAs(1, password)).status).toBe(200);
  expect(await readHash(1)).toBe(renewed);
  expect([await readUser(1), await passcode()]).toEqual(before);
});

test("D15: a hash that was replaced since it was compared is not overwritten", async () => {
  const outdated = await storeOutdated(2);
  const before = await readUser(2);
  await replaceHash(2, "password", "another hash", "a new hash");
  expect([await readUser(2), await readHash(2)]).toEqual([before, outdated]);
});

test("D15, D25: of a renewed hash nobody is notified", async () => {
  await store([userLine(3, { password })]);
  const key = secretKey("password", 3);
  const renewal = await changeBy(key, async () => replaceHash(3, "password", String(await readHash(3)), "renewed"));
  expect(await readHash(3)).toBe("renewed");
  await takeMessages("NOTIFICATION_QUEUE_URL");
  expect(await notify({ Records: [renewal] })).toEqual(nothingFailed);
  for (const queue of ["NOTIFICATION_QUEUE_URL", "NOTICE_QUEUE_URL", "PUSH_QUEUE_URL"]) {
    expect(await takeMessages(queue)).toEqual([]);
  }
});

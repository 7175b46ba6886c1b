import { beforeAll, expect, test } from "vitest";
import { handler as signInHandler } from "../../functions/sessions/sign-in.ts";
import { handler as notify } from "../../functions/workers/notify.ts";
import { handler as rotateSigningKey } from "../../functions/workers/rotate-signing-key.ts";
import { signIn } from "../../shared/contract/sessions.ts";
import { replaceHash, userKey } from "../../shared/db/accounts/users.ts";
import { getItem, type Item, updateIf } from "../../shared/db/table/table.ts";
import { deriveArgon2id } from "../../shared/domain/accounts/argon2id.ts";
import { formatPasswordHash } from "../../shared/domain/accounts/password-hash.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { call } from "../support/requests/call.ts";
import { useService } from "../support/service/service.ts";
import { takeMessages } from "../support/workers/queues.ts";
import { streamRecord } from "../support/workers/workers.ts";

useService();
beforeAll(() => rotateSigningKey());

const password = "seven quiet harbours";

async function readUser(id: number): Promise<Item> {
  return (await getItem(userKey(id), { consistent: true })) ?? {};
}

/** A user whose password was hashed at half of today's cost. */
async function storeOutdated(id: number): Promise<string> {
  await store([userLine(id, { password, passcode: "4711" })]);
  const [salt, cost] = [Buffer.alloc(16, 5), { memory: 9_728, passes: 2, parallelism: 1 }];
  const hash = formatPasswordHash(cost, salt, await deriveArgon2id(password, salt, 32, cost));
  await updateIf({
    Key: userKey(id),
    UpdateExpression: "SET password_hash = :hash, session_epoch = :epoch, reset_hash = :reset",
    ExpressionAttributeValues: { ":hash": hash, ":epoch": 3, ":reset": "reset" },
  });
  return hash;
}

function signInAs(id: number, sent: string) {
  return call(signInHandler, signIn, { body: { user: { login: `user-${id}@example.com`, password: sent } } });
}

test("D15: the right password renews an outdated hash, and leaves epoch, reset token and passcode alone", async () => {
  const outdated = await storeOutdated(1);
  const before = await readUser(1);
  expect((await signInAs(1, "wrong horse battery")).status).toBe(401);
  expect((await readUser(1)).password_hash).toBe(outdated);
  expect((await signInAs(1, password)).status).toBe(200);
  const after = await readUser(1);
  expect(after).toEqual({ ...before, password_hash: after.password_hash, revision: after.revision, silent: true });
  expect(after.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect((await signInAs(1, password)).status).toBe(200);
  expect(await readUser(1)).toEqual(after);
});

test("D15: a hash that was replaced since it was compared is not overwritten", async () => {
  await storeOutdated(2);
  const before = await readUser(2);
  await replaceHash(2, "password_hash", "another hash", "a new hash");
  expect(await readUser(2)).toEqual(before);
});

test("D15, D25: of 1,000 renewed hashes nobody is notified", async () => {
  await store([userLine(3, { password })]);
  const changes: ReturnType<typeof streamRecord>[] = [];
  let before = await readUser(3);
  for (let round = 0; round < 1_000; round += 1) {
    await replaceHash(3, "password_hash", String(before.password_hash), `hash-${round}`);
    // Only the first is read back: each of the others differs from the one before it as that does from the one it replaced.
    const after: Item =
      round === 0 ? await readUser(3) : { ...before, password_hash: `hash-${round}`, revision: -round };
    changes.push(streamRecord(userKey(3), { before, after }));
    before = after;
  }
  expect(await readUser(3)).toMatchObject({ password_hash: "hash-999" });
  await takeMessages("NOTIFICATION_QUEUE_URL");
  expect(await notify({ Records: changes })).toEqual({ batchItemFailures: [] });
  for (const queue of ["NOTIFICATION_QUEUE_URL", "NOTICE_QUEUE_URL", "PUSH_QUEUE_URL"]) {
    expect(await takeMessages(queue)).toEqual([]);
  }
}, 60_000);

import { expect, test } from "vitest";
import { deriveArgon2id } from "../../shared/people/argon2id.ts";
import { formatPasswordHash } from "../../shared/people/passwords.ts";
import { secretKey, userKey } from "../../shared/people/users.ts";
import { updateIf } from "../../shared/table/writes.ts";
import { useSigningKey } from "../support/records/own-user.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { readItem } from "../support/records/writes.ts";
import { tryPassword } from "../support/requests/accounts.ts";
import { useService } from "../support/service/service.ts";

useService();
useSigningKey();

test("D15: the right password renews an outdated hash, and leaves the user and the passcode alone", async () => {
  const password = "seven quiet harbours";
  await store([userLine(1, { password, passcode: "4711" })]);
  await updateIf(userKey(1), { set: { session_epoch: 3, reset_hash: "reset" } });
  // Half of today's cost.
  const [salt, cost] = [Buffer.alloc(16, 5), { memory: 9_728, passes: 2, parallelism: 1 }];
  const outdated = formatPasswordHash(cost, salt, await deriveArgon2id(password, salt, 32, cost));
  await updateIf(secretKey("password", 1), { set: { hash: outdated } });
  const others = () => Promise.all([userKey(1), secretKey("passcode", 1)].map(readItem));
  const before = await others();
  const hashAfter = async (typed: string) => {
    const { status } = await tryPassword("user-1@example.com", typed);
    return [status, (await readItem(secretKey("password", 1)))?.hash];
  };
  expect(await hashAfter("wrong horse battery")).toEqual([401, outdated]);
  const renewed = await hashAfter(password);
  expect(renewed).toEqual([200, expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)]);
  expect(await hashAfter(password)).toEqual(renewed);
  expect(await others()).toEqual(before);
});

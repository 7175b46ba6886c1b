import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { beforeEach, expect, test } from "vitest";
import { deleteItemAt } from "../../shared/table/writes.ts";
import { verifyAccessToken } from "../../shared/tokens/access.ts";
import { findVerificationKey } from "../../shared/tokens/keys.ts";
import { costOf } from "../support/records/costs.ts";
import { putItems } from "../support/records/items.ts";
import { useService } from "../support/service/service.ts";
import { payloadOf, testKeyId } from "../support/tokens/tokens.ts";

useService();
const minute = 60_000;
let start = Date.parse("2026-05-01T09:00:00.000Z");

beforeEach(() => {
  // Each test begins long after the last, so that nothing it finds is left over.
  start += 60 * minute;
});

function at(minutes: number): Date {
  return new Date(start + minutes * minute);
}

async function publish(kid: string): Promise<void> {
  const { publicKey } = await generateKeyPair("ES256", { extractable: true });
  await put(kid, { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" });
}

function put(kid: string, jwk: JWK): Promise<void> {
  return putItems([{ pk: "KEYS", sk: kid, jwk }]);
}

test("D4: a key is found by its id, and the keys are read once in 5 minutes", async () => {
  const cost = await costOf(async () => {
    for (const minutes of [0, 1, 4.99]) expect(await findVerificationKey(testKeyId, at(minutes))).toBeDefined();
  });
  expect(cost.sequentialTrips).toBe(1);
  expect((await costOf(() => findVerificationKey(testKeyId, at(5)))).sequentialTrips).toBe(1);
});

test("D4: an unknown key id makes the keys be read again at most once a minute", async () => {
  await findVerificationKey(testKeyId, at(0));
  const cost = await costOf(async () => {
    for (const seconds of [1, 30, 59]) expect(await findVerificationKey("late", at(seconds / 60))).toBeUndefined();
  });
  expect(cost.sequentialTrips).toBe(0);
  await publish("late");
  expect(await findVerificationKey("late", at(1))).toBeDefined();
});

test("D4: many requests at once read the keys once", async () => {
  const cost = await costOf(() => Promise.all(Array.from({ length: 50 }, () => findVerificationKey(testKeyId, at(0)))));
  expect(cost.sequentialTrips).toBe(1);
  expect(cost.readUnits).toBeLessThanOrEqual(0.5);
});

test("D4: a key that is withdrawn is forgotten within 5 minutes", async () => {
  await publish("withdrawn");
  expect(await findVerificationKey("withdrawn", at(0))).toBeDefined();
  await deleteItemAt({ pk: "KEYS", sk: "withdrawn" });
  expect(await findVerificationKey("withdrawn", at(5))).toBeUndefined();
});

test("D4: a token that was verified is taken for less than 5 minutes more once its key is withdrawn", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  await put("signs", { ...(await exportJWK(publicKey)), kid: "signs", alg: "ES256", use: "sig" });
  const payload = payloadOf({ id: 7, role: "driver", company_id: 1 }, at(0));
  const header = { alg: "ES256", typ: "at+jwt", kid: "signs" };
  const token = await new SignJWT(payload).setProtectedHeader(header).sign(privateKey);
  expect(await verifyAccessToken(token, at(0))).toMatchObject({ userId: 7 });
  await deleteItemAt({ pk: "KEYS", sk: "signs" });
  expect(await verifyAccessToken(token, at(4.99))).toMatchObject({ userId: 7 });
  await expect(verifyAccessToken(token, at(5))).rejects.toMatchObject({ code: "token_invalid" });
});

import { afterEach, expect, test, vi } from "vitest";
import { handler } from "../../functions/finance/bulk-update-timesheets.ts";
import { bulkUpdateTimesheets } from "../../shared/contract/finance.ts";
import { secretKey, userKey } from "../../shared/people/users.ts";
import { getItem } from "../../shared/table/table.ts";
import { findVerificationKey } from "../../shared/tokens/keys.ts";
import { hmacKey, readHmacKeyVersions, readSecret, writeHmacKeyVersions } from "../../shared/tokens/secrets.ts";
import { contentOf } from "../support/records/items.ts";
import { callerLine, timesheetLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { call } from "../support/requests/call.ts";
import { loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";
import { testKeyId } from "../support/tokens/tokens.ts";

useService();

const minute = 60_000;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("D6: a secret that cannot be read again is used on as it was, half a minute at a time, and a warning says so", async () => {
  const start = Date.now();
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  const arn = String(process.env.HMAC_SECRET_ARN);
  const known = await readSecret(arn, { fresh: true });
  vi.resetModules();
  const { readSecret: read } = await import("../../shared/tokens/secrets.ts");
  expect(await read(arn)).toEqual(known);
  const { SecretsManagerClient } = await import("@aws-sdk/client-secrets-manager");
  const send = vi.spyOn(SecretsManagerClient.prototype, "send").mockImplementation(async () => {
    throw new Error("Secrets Manager is away");
  });
  loggedLines.length = 0;
  vi.setSystemTime(start + 5 * minute);
  for (let times = 0; times < 3; times += 1) expect(await read(arn)).toEqual(known);
  expect(send).toHaveBeenCalledTimes(1);
  expect(loggedLines.map((line) => JSON.parse(line).code)).toEqual(["secret_stale"]);
  vi.setSystemTime(start + 5.5 * minute);
  expect(await read(arn)).toEqual(known);
  expect(send).toHaveBeenCalledTimes(2);
  vi.setSystemTime(start - 1);
  expect(await read(arn)).toEqual(known);
  expect(send).toHaveBeenCalledTimes(3);
  await expect(read(arn, { fresh: true })).rejects.toThrow("away");
  await expect(read("another")).rejects.toThrow("away");
});

test("D6: public keys that cannot be read again are used on; a key id that they do not have is no invalid token", async () => {
  const start = new Date("2027-01-01T09:00:00.000Z");
  const at = (minutes: number) => new Date(start.getTime() + minutes * minute);
  expect(await findVerificationKey(testKeyId, at(0))).toBeDefined();
  const { DynamoDBDocumentClient } = await import("@aws-sdk/lib-dynamodb");
  const send = vi.spyOn(DynamoDBDocumentClient.prototype, "send").mockImplementation(async () => {
    throw new Error("The table is away");
  });
  for (const minutes of [6, 6.4, 6.5]) expect(await findVerificationKey(testKeyId, at(minutes))).toBeDefined();
  expect(send).toHaveBeenCalledTimes(2);
  await expect(findVerificationKey("new", at(8))).rejects.toThrow("away");
});

test("D19: a passcode moves to the version that signs at its next use, silently", async () => {
  const user = { id: 60, role: "operator", company_id: 1 } as const;
  const passcode = "47110815";
  await store([callerLine(user, { passcode }), timesheetLine(60, 1)]);
  const stored = (key = secretKey("passcode", 60)) => getItem(key, { consistent: true });
  const [before, user60] = [await stored(), await stored(userKey(60))];
  const { versions } = await readHmacKeyVersions();
  const added = { version: 2, key: "2".repeat(64), signs_from: new Date(0).toISOString() };
  await writeHmacKeyVersions({ versions: [...versions, added], highest: 2 });
  const pay = (typed: string) =>
    call(handler, bulkUpdateTimesheets, {
      as: user,
      body: { timesheet: { timesheet_ids: [60], state: "paid", passcode: typed } },
    });
  expect((await pay("1234")).status).toBe(403);
  expect(await stored()).toEqual(before);
  expect((await pay(passcode)).status).toBe(200);
  const after = await stored();
  expect(contentOf(after ?? {})).toEqual({ ...contentOf(before ?? {}), hash: expect.stringMatching(/^2\./) });
  expect((await hmacKey()).isCurrent(String(after?.hash))).toBe(true);
  expect(await stored(userKey(60))).toEqual(user60);
  const known = await readHmacKeyVersions();
  await writeHmacKeyVersions({ ...known, versions: known.versions.filter(({ version }) => version === 2) });
  expect((await pay(passcode)).status).toBe(200);
});

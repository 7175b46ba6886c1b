import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { signatureHeaders } from "../../shared/webhooks/signature.ts";
import { rotated, shownSecret, signingSecrets } from "../../shared/webhooks/webhook-secrets.ts";

const keys = { key: "k".repeat(64), rotations: {} };
const now = new Date("2026-05-01T09:00:00.000Z");
const minutesLater = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const body = Buffer.from(JSON.stringify({ id: "event-1", data: { note: "Größe 7 – ✓" } }));

const headersAt = (sentAt: Date, known = keys) =>
  signatureHeaders({ id: "event-1", sentAt, body }, signingSecrets(known, "billing", sentAt));

function takes(secret: string, headers: Record<string, string>, at: Date, bytes = body): boolean {
  vi.setSystemTime(at);
  try {
    new Webhook(secret).verify(bytes, headers);
    return true;
  } catch {
    return false;
  }
}

afterEach(() => void vi.useRealTimers());

test("D42: the public library takes each attempt by the event's id, the bytes and the moment of the attempt", () => {
  const secret = shownSecret(keys, "billing");
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const first = headersAt(now);
  expect(takes(secret, first, now)).toBe(true);
  const again = headersAt(minutesLater(20));
  expect(takes(secret, again, minutesLater(20))).toBe(true);
  expect([again["webhook-id"], again["webhook-timestamp"]]).toEqual([
    "event-1",
    String(minutesLater(20).getTime() / 1000),
  ]);
  // What was signed 20 minutes ago is no attempt of now.
  expect(takes(secret, first, minutesLater(20))).toBe(false);
});

test("D42: while a secret is replaced both sign, then the new one alone; other webhooks keep theirs", () => {
  const before = shownSecret(keys, "billing");
  const after = rotated(keys, "billing", minutesLater(60));
  const secret = shownSecret(after, "billing");
  expect(secret).not.toBe(before);
  expect(shownSecret(after, "payroll")).toBe(shownSecret(keys, "payroll"));
  const during = headersAt(now, after);
  expect(during["webhook-signature"].split(" ")).toHaveLength(2);
  expect([secret, before].map((each) => takes(each, during, now))).toEqual([true, true]);
  const over = headersAt(minutesLater(60), after);
  expect([secret, before].map((each) => takes(each, over, minutesLater(60)))).toEqual([true, false]);
  // At most two: the one before the last signs no more.
  const twice = rotated(after, "billing", minutesLater(60));
  expect(takes(before, headersAt(now, twice), now)).toBe(false);
});

test("D42: an id that would move the border between what is signed is refused", () => {
  expect(() => signatureHeaders({ id: "event.1", sentAt: now, body }, ["key"])).toThrow("full stop");
});

describe("D42: the published signatures", () => {
  const current = shownSecret(keys, "billing");
  const sign = (id: string, text: string, known = keys) => {
    const headers = signatureHeaders(
      { id, sentAt: now, body: Buffer.from(text) },
      signingSecrets(known, "billing", now),
    );
    return { id, timestamp: now.getTime() / 1000, body: text, signature: headers["webhook-signature"] };
  };
  const event = (data: object) => JSON.stringify({ specversion: "1.0", id: "event-1", type: "timesheet.paid", data });
  const usual = sign("event-1", event({ id: 17, state: "paid" }));
  const replaced = rotated(keys, "billing", minutesLater(60));
  const during = sign("event-1", event({ id: 17 }), replaced);
  const other = shownSecret(keys, "payroll");
  const vectors = [
    { name: "an event", secret: current, ...usual, valid: true },
    {
      name: "characters outside of ASCII",
      secret: current,
      ...sign("event-1", event({ title: "Größe 7 – 🚚" })),
      valid: true,
    },
    { name: "two signatures, by the new secret", secret: shownSecret(replaced, "billing"), ...during, valid: true },
    { name: "two signatures, by the secret before", secret: current, ...during, valid: true },
    {
      name: "a body that was parsed and written again",
      secret: current,
      ...usual,
      body: JSON.stringify(JSON.parse(usual.body), null, 1),
      valid: false,
    },
    { name: "another id", secret: current, ...usual, id: "event-2", valid: false },
    { name: "another moment", secret: current, ...usual, timestamp: usual.timestamp + 1, valid: false },
    { name: "another receiver's secret", secret: other, ...usual, valid: false },
    {
      name: "another version",
      secret: current,
      ...usual,
      signature: usual.signature.replace("v1,", "v2,"),
      valid: false,
    },
    { name: "no signature", secret: current, ...usual, signature: "", valid: false },
  ];
  const file = join(import.meta.dirname, "../../shared/docs/guides/webhook-signatures.json");

  test("are those of this code; `-u` writes them", async () => {
    await expect(`${JSON.stringify({ vectors }, null, 2)}\n`).toMatchFileSnapshot(file);
  });

  test.each<(typeof vectors)[number]>(
    JSON.parse(readFileSync(file, "utf8")).vectors,
  )("are judged by the public library as they say: $name", ({
    secret,
    id,
    timestamp,
    body: text,
    signature,
    valid,
  }) => {
    vi.setSystemTime(timestamp * 1000);
    const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
    const judge = () => new Webhook(secret).verify(text, headers);
    if (valid) expect(judge()).toEqual(JSON.parse(text));
    else expect(judge).toThrow(/signature|headers/i);
  });
});

import { createRequire } from "node:module";
import { join } from "node:path";
import type { Webhook as Verifier } from "standardwebhooks";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { beforeAll, expect, test, vi } from "vitest";
import { handler } from "../../../functions/workers/deliver-webhook.ts";
import { type OutboundEvent, outboundEventTypes } from "../../../shared/contract/outbound-events.ts";
import { readWebhookKeys, shownSecret } from "../../../shared/webhooks/webhook-secrets.ts";
import { openApi } from "../../support/requests/described-answers.ts";
import { useService } from "../../support/service/service.ts";
import { onBus, receiver, testWebhook, useReceiver, webhookBatch } from "../../support/workers/receiver.ts";
import { nothingFailed } from "../../support/workers/workers.ts";
import { installDocumentTools } from "./install.ts";

vi.mock("../../../shared/webhooks/post.ts", async (original) => {
  const { toReceiver } = await import("../../support/workers/receiver.ts");
  return toReceiver(await original());
});

/** The part of the SDK of CloudEvents that a receiver calls. */
interface CloudEvents {
  readonly HTTP: {
    isEvent(message: { headers: object; body: unknown }): boolean;
    toEvent(message: { headers: object; body: unknown }): { validate(): boolean; toJSON(): object };
  };
}

useService();
useReceiver();

let cloudEvents: CloudEvents;
let verifiers: Pick<Verifier, "verify">[];

beforeAll(async () => {
  const load = createRequire(join(installDocumentTools(), "any.js"));
  cloudEvents = load("cloudevents");
  const svix: { Webhook: typeof Verifier } = load("svix");
  const secret = shownSecret(await readWebhookKeys(), testWebhook().name);
  verifiers = [new StandardWebhook(secret), new svix.Webhook(secret)];
});

/** The example of a kind, with a character that is two UTF-16 units. */
function eventOf(type: string): OutboundEvent {
  const { content } = openApi.webhooks[type].post.requestBody;
  const { example } = content["application/cloudevents+json"];
  const title = "title" in example.data && { title: "Driver 🚚" };
  return { ...example, source: "urn:workforce:test", data: { ...example.data, ...title } };
}

test.each(
  outboundEventTypes,
)("D42: %s, as it is posted, is taken by the libraries of Standard Webhooks, Svix and CloudEvents", async (type) => {
  const event = eventOf(type);
  expect(await handler(webhookBatch(onBus(event)))).toEqual(nothingFailed);
  const [{ headers, body } = { headers: {}, body: Buffer.of() }] = receiver.got;
  const signed = headers as Record<string, string>;
  for (const verifier of verifiers) {
    expect(verifier.verify(String(body), signed)).toEqual(event);
    expect(() => verifier.verify(`${body} `, signed)).toThrow("No matching signature");
  }
  const message = { headers, body: String(body) };
  expect(cloudEvents.HTTP.isEvent(message)).toBe(true);
  const read = cloudEvents.HTTP.toEvent(message);
  expect(read.validate()).toBe(true);
  expect(JSON.parse(JSON.stringify(read))).toEqual(event);
});

import { expect, test } from "vitest";
import { faultsOf } from "../../../infra/stages/stage-rules.ts";
import { readWebhooks } from "../../../infra/stages/stage-settings.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { fullStage } from "./owned-stage.ts";

const dev = findStage("dev");
const [webhook] = fullStage.webhooks;
const ofHost = (place: string) => `https://${place}/`;

test.each([
  "http://hooks.harbour-logistics.co.uk/",
  "hooks.harbour-logistics.co.uk",
  "https://hooks.harbour-logistics.co.uk:8443/",
  "https://ada@hooks.harbour-logistics.co.uk/",
  "https://hooks.harbour-logistics.co.uk/#part",
  ...["93.184.215.14", "0x5db8d70e", "1572395042", "127.1", "[2606:4700::1111]", "[::1]", "localhost", "hooks"].map(
    ofHost,
  ),
  ofHost("hooks.harbour-logistics.co.uk."),
  `https://hooks.harbour-logistics.co.uk/${"x".repeat(170)}`,
])("D42: a webhook is not sent to %s", (url) => {
  expect(faultsOf({ ...dev, webhooks: [{ ...webhook, url }] })).toEqual([expect.stringMatching(/^Set webhooks /)]);
});

test("D42: webhooks are refused in a stage that sends no events, and a reservation that has too few calls for them", () => {
  const { webhooks } = fullStage;
  expect(faultsOf({ ...dev, webhooks })).toEqual([]);
  expect(faultsOf({ ...dev, webhooks, outboundEvents: "on" })).toEqual([]);
  const off = faultsOf({ ...dev, webhooks, outboundEvents: "off" });
  expect(off).toEqual([expect.stringMatching(/^Set webhooks .* in a stage that sends events/)]);
  const reserving = (count: number) =>
    faultsOf({ ...dev, webhooks, reservedConcurrency: { "deliver-webhook": count } });
  expect(reserving(4)).toEqual([]);
  expect(reserving(3)).toEqual([expect.stringMatching(/^Set reservedConcurrency .* twice the number of webhooks/)]);
});

test.each(["application/json", "text/plain", ""])("D42: a webhook posts no %o", (contentType) => {
  const fault = faultsOf({ ...dev, webhooks: [{ ...webhook, contentType }] as never });
  expect(fault).toEqual([expect.stringMatching(/^Set webhooks .* contentType, json for receivers/)]);
});

test("D42: ten webhooks with the longest names and addresses fit into a function's environment", () => {
  const url = `https://hooks.harbour-logistics.co.uk/${"x".repeat(200)}`.slice(0, 200);
  const webhooks = Array.from({ length: 10 }, (_, at) => ({
    ...webhook,
    name: `a-name-of-20-letter${at}`,
    url,
    contentType: "cloudevents+json" as const,
  }));
  const stage = { ...dev, name: "a-name-of-20-letters", webhooks };
  expect(faultsOf(stage)).toEqual([]);
  // Lambda takes 4 KB in all; the other settings of the function take less than 800 bytes.
  expect(readWebhooks(stage).length).toBeLessThan(4_096 - 800);
});

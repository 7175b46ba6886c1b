import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { changeDesk, readDesk, viewOutbound } from "../../../infra/local/desk/answers.ts";
import { type LocalWebhook, openLocalWebhook } from "../../../infra/local/desk/local-webhook.ts";
import type { WebhookView } from "../../../infra/local/desk/views.ts";
import { useService } from "../../support/service/service.ts";
import { eventOut } from "../../support/workers/events.ts";
import { receiver, useReceiver } from "../../support/workers/receiver.ts";
import { deskSources } from "./happenings.ts";

const service = useService();
useReceiver();

let webhook: LocalWebhook;
let put: (id: number, EventBusName?: string) => Promise<string>;

beforeEach(() => {
  webhook = openLocalWebhook();
  const { buses } = service;
  buses.open(["out", "in"], [], async () => {});
  put = async (id, EventBusName = "out") => {
    const Entries = [{ EventBusName, Source: "s", DetailType: "t", Detail: JSON.stringify(eventOut(id)) }];
    const outcome = (await buses.perform("PutEvents", { Entries })) as { Entries: { EventId: string }[] };
    return outcome.Entries[0]?.EventId ?? "";
  };
});

afterEach(() => webhook.point("", service.buses, "out"));

const sources = () => deskSources({ buses: service.buses, environment: { OUTBOUND_BUS_NAME: "out" }, webhook });
const point = (url?: string) => changeDesk("webhook", { url }, sources());
/** The outcome of posting an event, as the desk shows it. */
const outcomeOf = (id: string) => viewOutbound(sources()).find(({ key }) => key === id)?.posted;
const here = (host = "localhost") => `http://${host}:${receiver.port}/events`;

test("D42: each event is posted once to an address of this computer, and verified with the secret that is shown", async () => {
  const early = await put(1);
  await point(here());
  const [key, other] = [await put(2), await put(3, "in")];
  await vi.waitFor(() => expect(outcomeOf(key)).toBe("200"), { timeout: 10_000 });
  const { url, secret } = (await readDesk("webhook", new URLSearchParams(), sources())) as WebhookView;
  expect(url).toBe(here());
  const [{ headers, body } = { headers: {}, body: Buffer.of() }, ...others] = receiver.got;
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(eventOut(2));
  expect(others).toEqual([]);
  expect(outcomeOf(early)).toBeNull();
  expect(outcomeOf(other)).toBeUndefined();
});

test("D42: what it answers is shown; a redirect is not followed, and what fails keeps nothing waiting", async () => {
  receiver.status = 307;
  receiver.headers = { location: here("127.0.0.1") };
  await point(here("127.0.0.1"));
  const redirected = await put(1);
  await vi.waitFor(() => expect(outcomeOf(redirected)).toBe("307"), { timeout: 10_000 });
  expect(receiver.got).toHaveLength(1);
  await point("http://localhost:1/nobody");
  const lost = await put(2);
  await vi.waitFor(() => expect(outcomeOf(lost)).toBe("connection_failed"), { timeout: 10_000 });
  await point();
  const unposted = await put(3);
  await point(here());
  await point(here());
  const again = await put(4);
  await vi.waitFor(() => expect(outcomeOf(again)).toBe("307"), { timeout: 10_000 });
  expect(outcomeOf(unposted)).toBeNull();
  expect(receiver.got.map(({ headers }) => headers["webhook-id"])).toEqual([eventOut(1).id, eventOut(4).id]);
});

test("D42: events that wait for an address are dropped when another one is set", async () => {
  await point("http://localhost:1/nobody");
  const [first, waiting] = [await put(1), await put(2)];
  await point(here());
  const last = await put(3);
  await vi.waitFor(() => expect(outcomeOf(last)).toBe("200"), { timeout: 10_000 });
  expect([outcomeOf(first), outcomeOf(waiting)]).toEqual(["connection_failed", null]);
  expect(receiver.got).toHaveLength(1);
});

test.each([
  "https://localhost/",
  "http://receiver.example/",
  "http://169.254.169.254/",
  "http://localhost.example/",
  "http://ada@localhost/",
  "http://:secret@localhost/",
  "file:///etc/passwd",
  "nothing",
])("D42: %s is no address of this computer", async (url) => {
  await expect(point(url)).rejects.toThrow("of this computer");
});

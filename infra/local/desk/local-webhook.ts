import { request } from "node:http";
import type { OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import type { WebhookSetting } from "../../../shared/settings.ts";
import { attemptDelivery } from "../../../shared/webhooks/attempt.ts";
import type { PostOptions } from "../../../shared/webhooks/post.ts";
import { readWebhookKeys, shownSecret } from "../../../shared/webhooks/secrets.ts";
import type { EventBuses } from "../aws/event-buses.ts";
import type { WebhookView } from "./views.ts";

/** A webhook of the local machine alone: an address of this computer that events are posted to, signed as on a stage (D42). */
export interface LocalWebhook {
  /**
   * Points it at an address: each event that is put on a bus from now on is posted there once, one after the other. Empty text
   * ends that. Throws a sentence on an address that is not of this computer.
   */
  point(url: string, buses: Pick<EventBuses, "watch">, busName: string | undefined): void;
  view(): Promise<WebhookView>;
  /** What came of posting an event, by its id on the bus: a status, or why there is none; undefined where it was not posted. */
  outcomeOf(busEventId: string): string | undefined;
}

/** No webhook of a stage has a name with a space. */
const name = "this computer";
const hosts = ["localhost", "127.0.0.1", "[::1]"];
const mostOutcomes = 200;

/** Opens the webhook, which points nowhere yet. */
export function openLocalWebhook(): LocalWebhook {
  let url = "";
  let unwatch = () => {};
  let last = Promise.resolve();
  const outcomes = new Map<string, string>();

  const send = async (key: string, event: OutboundEvent, to: string) => {
    // What waits for an address that was replaced goes nowhere.
    if (to !== url) return;
    outcomes.set(key, await deliver({ name, url: to }, event));
    const [oldest = ""] = outcomes.keys();
    if (outcomes.size > mostOutcomes) outcomes.delete(oldest);
  };

  return {
    point(given, buses, busName) {
      if (given !== "") requireLocal(given);
      unwatch();
      url = given;
      unwatch = () => {};
      if (url === "") return;
      unwatch = buses.watch((bus, { id, detail }) => {
        if (bus !== busName) return;
        const to = url;
        last = last.then(() => send(id, detail as OutboundEvent, to));
      });
    },
    view: async () => ({ url, secret: shownSecret(await readWebhookKeys(), name) }),
    outcomeOf: (busEventId) => outcomes.get(busEventId),
  };
}

function requireLocal(text: string): void {
  const url = URL.parse(text);
  if (url?.protocol === "http:" && hosts.includes(url.hostname) && url.username === "" && url.password === "") return;
  throw new Error("The address is one of this computer, such as http://localhost:8080/events.");
}

/** The computer itself is no public address; which of its addresses its name leads to is left to Node. */
const onThisComputer: Pick<PostOptions, "resolve" | "request"> = {
  resolve: async () => ({ address: "127.0.0.1", family: 4 }),
  request: (url, { lookup: _, ...options }) => request(url, options),
};

async function deliver(webhook: Pick<WebhookSetting, "name" | "url">, event: OutboundEvent): Promise<string> {
  try {
    const { result } = await attemptDelivery(webhook, event, new Date(), onThisComputer);
    return "status" in result ? String(result.status) : result.code;
  } catch (error) {
    return String(error);
  }
}

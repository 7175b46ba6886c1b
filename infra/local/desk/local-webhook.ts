import { request } from "node:http";
import type { OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import type { WebhookReceiver } from "../../../shared/settings.ts";
import { attemptDelivery } from "../../../shared/webhooks/attempt.ts";
import type { PostOptions } from "../../../shared/webhooks/post.ts";
import { readWebhookKeys, shownSecret } from "../../../shared/webhooks/webhook-secrets.ts";
import type { BusEvent, EventBuses } from "../aws/event-buses.ts";
import type { WebhookView } from "./views.ts";

/** A webhook of this machine alone. It posts events to an address of this computer, signed as on a stage (D42). */
export interface LocalWebhook {
  /**
   * Sets the address. Each later event on the bus is posted there once, one after the other. Empty text ends that.
   * Throws if the address is not on this computer.
   */
  point(url: string, buses: Pick<EventBuses, "watch">, busName: string | undefined): void;
  view(): Promise<WebhookView>;
  /** The status or error code that posting an event of the bus led to; undefined if it was not posted. */
  outcomeOf(event: BusEvent): string | undefined;
}

/** Contains a space, so that no webhook of a stage has this name. */
const name = "this computer";
const hosts = ["localhost", "127.0.0.1", "[::1]"];

export function openLocalWebhook(): LocalWebhook {
  let url = "";
  let unwatch = () => {};
  let last = Promise.resolve();
  const outcomes = new WeakMap<BusEvent, string>();

  const send = async (event: BusEvent, to: string) => {
    // Events that wait for a replaced address are dropped.
    if (to === url) outcomes.set(event, await deliver({ name, url: to }, event.detail as OutboundEvent));
  };

  return {
    point(given, buses, busName) {
      if (given !== "") requireLocal(given);
      unwatch();
      url = given;
      if (url === "") return;
      unwatch = buses.watch((bus, event) => {
        if (bus === busName) last = last.then(() => send(event, given));
      });
    },
    view: async () => ({ url, secret: shownSecret(await readWebhookKeys(), name) }),
    outcomeOf: (event) => outcomes.get(event),
  };
}

function requireLocal(text: string): void {
  const url = URL.parse(text);
  if (url?.protocol === "http:" && hosts.includes(url.hostname) && url.username === "" && url.password === "") return;
  throw new Error("The address is one of this computer, such as http://localhost:8080/events.");
}

/** This computer has no public address, which a stage would require; Node resolves its name, to either family. */
const onThisComputer: Pick<PostOptions, "resolve" | "request"> = {
  resolve: async () => "127.0.0.1",
  request: (url, { lookup: _, family: _family, ...options }) => request(url, options),
};

async function deliver(webhook: WebhookReceiver, event: OutboundEvent): Promise<string> {
  try {
    const { result } = await attemptDelivery(webhook, event, new Date(), onThisComputer);
    return "status" in result ? String(result.status) : result.code;
  } catch (error) {
    return String(error);
  }
}

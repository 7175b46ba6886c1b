import type { RequestListener } from "node:http";
import type { EventBuses } from "../aws/event-buses.ts";
import type { Inbox } from "../aws/inbox.ts";
import type { LocalAws } from "../local-aws.ts";
import type { DataSources } from "./data.ts";
import type { History } from "./history.ts";
import type { LocalWebhook } from "./local-webhook.ts";

/** What the desk shows, and what its changes act on. */
export interface DeskOptions extends DataSources, Pick<LocalAws, "mintAccessToken"> {
  inbox: Inbox;
  /** What went out. */
  buses: Pick<EventBuses, "past" | "watch">;
  /** True where other computers of the network may use the desk. */
  lan: boolean;
  /** Calls a function as its schedule does. */
  run(functionName: string): Promise<unknown>;
  /** Answers calls of EventBridge, which `/_local/events` takes: an address that stays the same at every start. */
  answerEvents: RequestListener;
}

/** The same, with what happened, and where events are posted. */
export interface DeskSources extends DeskOptions {
  history: History;
  webhook: LocalWebhook;
}

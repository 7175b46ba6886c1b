import type { RequestListener } from "node:http";
import type { EventBuses } from "../aws/event-buses.ts";
import type { Inbox } from "../aws/inbox.ts";
import type { LocalAws } from "../local-aws.ts";
import type { DataSources } from "./data.ts";
import type { OpenIndex } from "./index-file.ts";
import type { LocalWebhook } from "./local-webhook.ts";
import type { History } from "./past-calls.ts";

/** The machine's parts that the desk shows and changes. */
export interface DeskOptions extends DataSources, Pick<LocalAws, "mintAccessToken"> {
  inbox: Inbox;
  /** The events that went out. */
  buses: Pick<EventBuses, "past" | "watch">;
  /** True if other computers of the network may use the desk. */
  lan: boolean;
  /** Calls a function as its schedule does. */
  run(functionName: string): Promise<unknown>;
  /** Answers EventBridge calls to `/_local/events`. That address stays the same at every start. */
  answerEvents: RequestListener;
}

/** The same, with what the desk keeps itself. */
export interface DeskSources extends DeskOptions {
  /** Opens the index of the table's items. */
  index: OpenIndex;
  /** The seconds by which the desk lags behind the table. */
  behind(): number;
  history: History;
  webhook: LocalWebhook;
}

import type { RequestListener } from "node:http";
import type { EventBuses } from "../../runtime/aws/event-buses.ts";
import type { LocalInbox } from "../../runtime/aws/inbox.ts";
import type { LocalAws } from "../local-aws.ts";
import type { ItemIndex } from "./item-index.ts";
import type { History } from "./past-calls.ts";

/** The machine's parts that the desk shows and changes. */
export interface DeskOptions extends Pick<LocalAws, "stack" | "environment" | "mintAccessToken"> {
  /** The folder of the positions of the stream's consumers. */
  placesDirectory: string;
  inbox: LocalInbox;
  buses: Pick<EventBuses, "past">;
  lan: boolean;
  /** Calls a function as its schedule does. */
  run(functionName: string): Promise<unknown>;
  /** Answers EventBridge calls to `/_local/events`. That address stays the same at every start. */
  answerEvents: RequestListener;
}

export interface DeskSources extends DeskOptions {
  index: ItemIndex;
  history: History;
  /** The value that changes must send. */
  token: string;
}

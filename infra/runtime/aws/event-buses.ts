import { randomUUID } from "node:crypto";
import { isMap, matchesAny, type Pattern } from "../filter-patterns.ts";
import { parseJson } from "../json-text.ts";
import { AwsError } from "./aws-error.ts";
import { localAccount } from "./local-account.ts";

/** A rule of an event bus: the events it takes, and the queues it puts them into. */
export interface BusRule {
  busName: string;
  pattern: Pattern;
  queueNames: string[];
}

export interface EventBuses {
  /** Sets the buses, their rules, and the function that sends a message to a queue. */
  open(busNames: string[], rules: BusRule[], send: SendToQueue): void;
  /** The latest events put on a bus, newest first: at most 200. */
  past(busName: string): readonly DeliveredEvent[];
  /** Performs an EventBridge action: `PutEvents`. */
  perform(action: string, input: object): Promise<object>;
}

/** An event in the form that EventBridge delivers. */
export type DeliveredEvent = ReturnType<typeof envelope>;

type SendToQueue = (queueName: string, body: string) => Promise<unknown>;

interface Entry {
  Source?: string;
  DetailType?: string;
  Detail?: string;
  /** Seconds since 1970. */
  Time?: number;
  Resources?: string[];
  EventBusName?: string;
}

type Outcome = { EventId: string } | { ErrorCode: string; ErrorMessage: string };

const mostEntries = 10;
const mostBytes = 256 * 1024;
const mostPast = 200;

/** Event buses. There are none until `open` is called. */
export function openEventBuses(region: string): EventBuses {
  let names: string[] = [];
  let rules: BusRule[] = [];
  let send: SendToQueue = async () => {};
  const past = new Map<string, DeliveredEvent[]>();

  const deliver = async (entry: Entry): Promise<Outcome> => {
    const fault = faultOf(entry);
    if (fault) return fault;
    const event = envelope(entry, region);
    const busName = nameOf(entry);
    past.set(busName, [event, ...(past.get(busName) ?? [])].slice(0, mostPast));
    const taking = rules.filter((rule) => rule.busName === busName && matchesAny(event, [rule.pattern]));
    const queueNames = new Set(taking.flatMap((rule) => rule.queueNames));
    await Promise.all([...queueNames].map((queueName) => send(queueName, inAscii(JSON.stringify(event)))));
    return { EventId: event.id };
  };

  return {
    open(busNames, given, sendToQueue) {
      names = busNames;
      rules = given;
      send = sendToQueue;
    },
    past: (busName) => past.get(busName) ?? [],
    async perform(action, input) {
      if (action !== "PutEvents") {
        throw new AwsError("UnknownOperationException", `The local machine does not know the action "${action}".`);
      }
      const { Entries = [] } = input as { Entries?: Entry[] };
      refuse(Entries, names);
      const outcomes = await Promise.all(Entries.map(deliver));
      return { FailedEntryCount: outcomes.filter((each) => "ErrorCode" in each).length, Entries: outcomes };
    },
  };
}

function refuse(entries: Entry[], names: string[]): void {
  if (entries.length === 0 || entries.length > mostEntries) {
    throw new AwsError("ValidationException", `PutEvents takes 1 to ${mostEntries} entries.`);
  }
  const size = entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);
  if (size > mostBytes)
    throw new AwsError("ValidationException", "Total size of the entries in the request is over the limit.");
  const unknown = entries.map(nameOf).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new AwsError("ResourceNotFoundException", `Event bus ${unknown} does not exist.`);
  }
}

/** EventBridge escapes what is not ASCII. */
function inAscii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The bus name of an entry, which may give it as an ARN. */
function nameOf({ EventBusName = "default" }: Entry): string {
  return EventBusName.split("/").at(-1) ?? "";
}

function faultOf({ Source, DetailType, Detail }: Entry): Outcome | undefined {
  for (const [name, value] of Object.entries({ Source, DetailType, Detail })) {
    if (!value)
      return {
        ErrorCode: "InvalidArgument",
        ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
      };
  }
  if (isMap(parseJson(Detail ?? ""))) return undefined;
  return { ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed." };
}

function envelope({ Source, DetailType, Detail = "", Time, Resources = [] }: Entry, region: string) {
  const time = Time === undefined ? new Date() : new Date(Time * 1000);
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": DetailType,
    source: Source,
    account: localAccount,
    time: time.toISOString().replace(/\.\d{3}/, ""),
    region,
    resources: Resources,
    detail: JSON.parse(Detail) as object,
  };
}

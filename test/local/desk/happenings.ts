import type { DynamoDBStreamEvent } from "aws-lambda";
import { type ItemIndex, openItemIndex } from "../../../infra/local/desk/item-index.ts";
import { type History, openHistory } from "../../../infra/local/desk/past-calls.ts";
import type { DeskSources } from "../../../infra/local/desk/sources.ts";
import { storyOf } from "../../../infra/local/desk/story.ts";
import type { InboxView, ShownPerson } from "../../../infra/local/desk/views.ts";
import { openInbox } from "../../../infra/runtime/aws/inbox.ts";
import type { FrontRequest } from "../../../infra/runtime/gateway/http-server.ts";

export function line(fields: object): string {
  return `${JSON.stringify({ level: "info", message: "processed", timestamp: new Date().toISOString(), ...fields })}\n`;
}

interface Sent {
  body?: string;
  isBase64Encoded?: boolean;
  query?: string;
  path?: string;
  answer?: string;
  milliseconds?: number;
}

export function requestOf(id: string, more: Sent = {}): FrontRequest {
  const { body, isBase64Encoded = false, query = "", path = "/api/v1/x", answer = "{}", milliseconds = 5 } = more;
  const http = { method: "PATCH", path: "/api/v1/x", protocol: "HTTP/1.1", sourceIp: "::1", userAgent: "t" };
  const event = {
    rawPath: path,
    rawQueryString: query,
    ...(query && { queryStringParameters: Object.fromEntries(new URLSearchParams(query)) }),
    headers: { authorization: "Bearer secret-bearer", accept: "application/json" },
    requestContext: { requestId: id, timeEpoch: Date.now(), http },
    ...(body !== undefined && { body }),
    isBase64Encoded,
  } as unknown as NonNullable<FrontRequest["event"]>;
  return {
    method: "PATCH",
    path: "/api/v1/x",
    queryNames: [],
    status: 200,
    requestId: id,
    output: line({ message: "answered", request_id: id, user_id: 7, operation: "bulk-update-timesheets" }),
    milliseconds,
    functionName: "bulk-update-timesheets",
    event,
    answer: { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(answer) },
  };
}

export const record = (eventID: string, pk: string, sk: string, revision: number, more: object = {}) => ({
  eventID,
  eventName: "MODIFY",
  dynamodb: {
    Keys: { pk: { S: pk }, sk: { S: sk } },
    OldImage: { pk: { S: pk }, sk: { S: sk }, revision: { N: String(revision) }, state: { S: "pending" } },
    NewImage: { pk: { S: pk }, sk: { S: sk }, revision: { N: String(revision + 1) }, state: { S: "paid" }, ...more },
  },
});
/** The stamp of a request's change; with the operation that made it, and the time, if they are given. */
export const changedBy = (id: string, operation = "", at = Date.now()) => ({
  change: {
    M: {
      request: { S: id },
      ...(operation && {
        id: { S: "c" },
        by: { S: "user#7" },
        operation: { S: operation },
        at: { S: new Date(at).toISOString() },
      }),
    },
  },
});
export const asEvent = (...Records: object[]) => ({ Records }) as unknown as DynamoDBStreamEvent;

export function addRun(
  history: History,
  functionName: string,
  event: object,
  output: string,
  more: { milliseconds?: number; error?: Error } = {},
) {
  const { Records } = event as { Records?: unknown[] };
  history.addRun({ functionName, event, records: Records?.length, milliseconds: 1, output, ...more });
}

export const message = (id: string, body: object | string, attempt = "1") => ({
  messageId: id,
  body: typeof body === "string" ? body : JSON.stringify(body),
  attributes: { ApproximateReceiveCount: attempt },
  eventSourceARN: "arn:aws:sqs:eu-west-2:0:NotificationsQueue",
});

/** The sources of a desk on a stack without queues, on which nothing happened yet. */
export function deskSources(more: Partial<DeskSources> = {}, index: ItemIndex = openItemIndex()): DeskSources {
  const stack = { routes: [], queues: [], mappings: [], streamMappings: [], schedules: [] };
  const empty = { inbox: openInbox(), history: openHistory(), stack, environment: { AWS_REGION: "eu-west-1" } };
  const own = { placesDirectory: "", index };
  return { ...empty, ...own, ...more } as unknown as DeskSources;
}

export const person: ShownPerson = {
  id: 7,
  name: "Wren Ashby",
  role: "operator",
  companyId: 1,
  company: "Wren & Co",
  logins: ["wren@example.com"],
};

export const index = {
  person: (id: number) => (id === person.id ? person : undefined),
  hasDevice: (id: number) => id === person.id,
};
export const storyIn = (history: History, id: string, messages: InboxView[] = []) =>
  storyOf(id, { history, index, messages });

export function afterRequest(more?: Parameters<typeof requestOf>[1]): History {
  const history = openHistory();
  history.addRequest(requestOf("one", more));
  return history;
}

/** The consequences of a request, without its handler. */
export function kindsOf(history: History, id: string, messages: InboxView[] = []) {
  const { rows = [] } = storyIn(history, id, messages) ?? {};
  return rows
    .filter(({ layer }) => layer !== "request")
    .flatMap((row) => [
      ...row.changes.map(({ entity, isNamed }) => `${entity} ${isNamed}`),
      ...row.runs.map(({ functionName }) => functionName),
      ...row.messages.map((each) => each.id),
    ]);
}

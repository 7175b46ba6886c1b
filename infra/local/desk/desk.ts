import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import type { DynamoDBStreamEvent } from "aws-lambda";
import type { WorkListeners } from "../../runtime/functions/work-report.ts";
import { type GatewayAnswer, gatewayRefusal, writeAnswer } from "../../runtime/gateway/gateway-answer.ts";
import { splitTarget } from "../../runtime/gateway/gateway-event.ts";
import type { FrontOptions } from "../../runtime/gateway/http-server.ts";
import { readBody } from "../../runtime/http-service.ts";
import { messageOf } from "../../support/message-of.ts";
import { changeDesk, outboundEvents, readDesk } from "./answers.ts";
import { icon, mailPolicy, pageFiles, pagePolicy, renderPage } from "./desk-page-build.ts";
import { refusalOf } from "./guard.ts";
import { htmlOf } from "./inbox-views.ts";
import { indexOf, openItemIndex } from "./item-index.ts";
import { openHistory } from "./past-calls.ts";
import type { DeskOptions, DeskSources } from "./sources.ts";
import { elsewhere } from "./views.ts";

/** The developer's page of a machine, and the methods that record what it shows. */
export interface Desk {
  /** Called before a stream is read, with its name; returns the function that takes its changes. */
  openStream(arn: string): (event: DynamoDBStreamEvent) => Promise<void>;
  answer: RequestListener;
  /** Listeners that call the given ones and record the call for the desk. */
  alongside<L extends Listeners>(given: L): L & Required<Listeners>;
}

type Listeners = Pick<WorkListeners, "onWork"> & Pick<FrontOptions, "onRequest">;

/** Runs code of the desk so that its errors fail no request and no worker. Prints the first error. */
function openGuard(): (remember: () => void) => void {
  let isSaid = false;
  return (remember) => {
    try {
      remember();
    } catch (error) {
      if (!isSaid) process.stderr.write(`The desk does not show everything: ${error}\n`);
      isSaid = true;
    }
  };
}

const bodyLimit = 64 * 1024;
const lookMilliseconds = 300;
/** Links to requests outlive them. */
const unknown = "The desk does not have it. Of requests it keeps the newest 500 since the machine started.";
const types = {
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  html: "text/html",
  json: "application/json",
};

/** Opens the desk of a machine. It calls `options` each time, because the stack may be replaced. */
export function openDesk(options: () => DeskOptions): Desk {
  const token = randomBytes(24).toString("base64url");
  const history = openHistory();
  const guard = openGuard();
  let index = openItemIndex();
  const sources = () => ({ ...options(), history, index, token });

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { path, query } = splitTarget(request.url ?? "/");
    const place = path.replace(/^\/_local\/?/, "").replace(/^events\/$/, "events");
    const isRead = ["GET", "HEAD"].includes(request.method ?? "");
    const { lan } = options();
    // Commands send events without a token, as they do to EventBridge; pages must still be of this origin.
    const refusal = refusalOf(request, { lan, token: place === "events" ? undefined : token });
    if (refusal) return writeAnswer(response, json({ message: `Not for this request: ${refusal}.` }, 403));
    if (place === "events" && !isRead) return options().answerEvents(request, response);
    if (place === "desk/live") return follow(response, sources());
    const answer = isRead ? await read(place, query, request, sources()) : await change(place, request, sources());
    writeAnswer(
      response,
      place === "" && path.endsWith("/") && isRead ? file("html", renderPage(token), pagePolicy) : answer,
    );
  };
  return {
    openStream(arn) {
      guard(() => {
        index = indexOf(arn, options().placesDirectory);
      });
      return async (event) => guard(() => index.add(history.addChanges(event)));
    },
    alongside: (given) => ({
      ...given,
      onRequest(request) {
        given.onRequest?.(request);
        guard(() => history.addRequest(request));
      },
      onWork(work) {
        given.onWork?.(work);
        guard(() => history.addRun(work));
      },
    }),
    answer: (request, response) => {
      serve(request, response).catch((error) => writeAnswer(response, json({ message: String(error) }, 500)));
    },
  };
}

async function read(
  place: string,
  query: string,
  request: IncomingMessage,
  sources: DeskSources,
): Promise<GatewayAnswer> {
  const { inbox } = sources;
  if (place === "") return redirect("/_local/");
  if (place === "inbox") {
    if (request.headers.accept?.includes("text/html")) return redirect("/_local/#/inbox");
    return file("json", JSON.stringify(inbox.entries(), null, 2));
  }
  if (place === "outbound") {
    const events = outboundEvents(sources).map(({ detail }) => detail);
    return file("json", JSON.stringify(events, null, 2));
  }
  if (place === "desk.js") return file("js", (await pageFiles()).script);
  if (place === "desk.css") return file("css", (await pageFiles()).style);
  if (place === "call-as.js") return file("js", readFileSync(join(import.meta.dirname, "call-as.js"), "utf8"));
  if (place === "desk.svg") return file("svg", icon);
  const [, mail] = /^desk\/mail\/(\w+)$/.exec(place) ?? [];
  if (mail !== undefined) {
    const html = htmlOf(inbox.entries(), mail);
    return html === undefined ? gatewayRefusal(404) : file("html", html, mailPolicy);
  }
  const [view = ""] = place.split("/");
  if (Object.hasOwn(elsewhere, view)) return json({ message: elsewhere[view] }, 404);
  if (view !== "desk") return gatewayRefusal(404);
  const found = await readDesk(place.slice("desk/".length), new URLSearchParams(query), sources);
  return found === undefined ? json({ message: unknown }, 404) : json(found);
}

async function change(place: string, request: IncomingMessage, sources: DeskSources): Promise<GatewayAnswer> {
  const body = await readBody(request, bodyLimit);
  if (body === undefined) return gatewayRefusal(413);
  if (request.method !== "POST" || !place.startsWith("desk/")) return gatewayRefusal(404);
  try {
    const done = await changeDesk(place.slice("desk/".length), JSON.parse(body.toString() || "{}"), sources);
    return done === undefined ? gatewayRefusal(404) : json(done);
  } catch (error) {
    return json({ message: messageOf(error) }, 400);
  }
}

function follow(response: ServerResponse, { history, inbox }: DeskSources): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  let sent = "";
  const look = () => {
    const { requests, runs, changes } = history;
    const now = [requests.at(-1)?.id, runs.at(-1)?.at, changes.at(-1)?.eventId, inbox.entries()[0]?.sent_at].join(" ");
    if (now !== sent) response.write(`data: ${now}\n\n`);
    sent = now;
  };
  const timer = setInterval(look, lookMilliseconds);
  response.once("close", () => clearInterval(timer));
  look();
}

function file(type: keyof typeof types, text: string, policy = "default-src 'none'", status = 200): GatewayAnswer {
  const headers = {
    "content-type": `${types[type]}; charset=utf-8`,
    "cache-control": "no-store",
    "content-security-policy": policy,
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
  return { status, headers, body: Buffer.from(text) };
}

function json(value: unknown, status = 200): GatewayAnswer {
  return file("json", JSON.stringify(value), undefined, status);
}

function redirect(location: string): GatewayAnswer {
  return { status: 302, headers: { location }, body: Buffer.alloc(0) };
}

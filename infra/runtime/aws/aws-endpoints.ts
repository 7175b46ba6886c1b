import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { readBody, startHttpService } from "../http-service.ts";
import { AwsError } from "./aws-error.ts";
import type { EventBuses } from "./event-buses.ts";
import type { LocalInbox } from "./inbox.ts";
import { sesActions, snsActions } from "./messages.ts";
import type { SecretStore } from "./secrets-manager.ts";

/** One HTTP endpoint that answers for SES, SNS, Secrets Manager and EventBridge. */
export interface AwsEndpoints {
  endpoint: string;
  /** Answers EventBridge calls and refuses those of other services. */
  answerEvents: RequestListener;
  /** Makes the next calls of one action fail with this error code, as the real service might. */
  failNext(action: string, code: string, times?: number): void;
  close(): Promise<void>;
}

/** The receivers of calls; without a file, push endpoints stay in memory. */
export interface AwsEndpointsOptions {
  inbox: LocalInbox;
  secrets: SecretStore;
  buses: EventBuses;
  pushEndpointsFile?: string;
}

export async function startAwsEndpoints(options: AwsEndpointsOptions): Promise<AwsEndpoints> {
  const query = { ...sesActions(options.inbox), ...snsActions(options.inbox, options.pushEndpointsFile) };
  const faults = new Map<string, { code: string; times: number }>();

  const failIfConfigured = (action: string) => {
    const fault = faults.get(action);
    if (!fault || fault.times === 0) return;
    fault.times -= 1;
    throw new AwsError(fault.code, `${action} fails because it is configured to.`);
  };

  const service = await startHttpService((request, response) => {
    const target = request.headers["x-amz-target"];
    const answer = typeof target === "string" ? answerJson : answerQuery;
    answer(request, response).catch(() => response.destroy());
  });

  async function answerJson(request: IncomingMessage, response: ServerResponse) {
    const [service = "", action = ""] = String(request.headers["x-amz-target"]).split(".");
    const headers = { "content-type": "application/x-amz-json-1.1", "x-amzn-requestid": randomUUID() };
    const send = (status: number, body: unknown) => response.writeHead(status, headers).end(JSON.stringify(body));
    try {
      const input = JSON.parse(String(await readBody(request)));
      failIfConfigured(action);
      const receiver = service === "AWSEvents" ? options.buses : options.secrets;
      send(200, await receiver.perform(action, input));
    } catch (error) {
      const { code, message, status } = asAwsError(error);
      send(status, { __type: code, message });
    }
  }

  async function answerQuery(request: IncomingMessage, response: ServerResponse) {
    const parameters = new URLSearchParams((await readBody(request))?.toString("utf8"));
    const action = parameters.get("Action") ?? "";
    const send = (status: number, xml: string) =>
      response.writeHead(status, { "content-type": "text/xml", "x-amzn-requestid": randomUUID() }).end(xml);
    try {
      failIfConfigured(action);
      const perform = query[action];
      if (!perform) throw new AwsError("InvalidAction", `The local machine does not know the action "${action}".`);
      send(200, resultXml(action, perform(parameters)));
    } catch (error) {
      send(asAwsError(error).status, errorXml(asAwsError(error)));
    }
  }

  return {
    answerEvents: (request, response) => {
      const isEvents = String(request.headers["x-amz-target"]).startsWith("AWSEvents.");
      if (!isEvents) return void response.writeHead(404).end();
      answerJson(request, response).catch(() => response.destroy());
    },
    endpoint: `http://127.0.0.1:${service.port}`,
    failNext: (action, code, times = 1) => faults.set(action, { code, times }),
    close: service.close,
  };
}

function asAwsError(error: unknown): AwsError {
  return error instanceof AwsError ? error : new AwsError("InternalFailure", String(error), 500);
}

function resultXml(action: string, result: Record<string, string>): string {
  const elements = Object.entries(result).map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`);
  const metadata = `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`;
  return `<${action}Response><${action}Result>${elements.join("")}</${action}Result>${metadata}</${action}Response>`;
}

function errorXml({ code, message }: AwsError): string {
  const error = `<Error><Type>Sender</Type><Code>${escapeXml(code)}</Code><Message>${escapeXml(message)}</Message></Error>`;
  return `<ErrorResponse>${error}<RequestId>${randomUUID()}</RequestId></ErrorResponse>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

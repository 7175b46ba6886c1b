import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { type Retries, watchCalls } from "./aws-calls.ts";
import { post, read } from "./post.ts";

/**
 * How a call fails: `interrupted` is carried out and its answer lost once, so that the SDK may repeat it; `dropped` is carried
 * out at each of its attempts and never answered; `slow` the same, with a connection that stays open beyond the call's
 * time; `refused` is carried out at none of them.
 */
export type Loss = "interrupted" | "dropped" | "slow" | "refused";

/** All losses. */
export const losses: readonly Loss[] = ["interrupted", "dropped", "slow", "refused"];

/** A network between the service and AWS on which one call fails. */
export interface LossyNetwork {
  /**
   * Has the n-th call from now on fail, counted from 1 over all services; attempts of the SDK are one call. `between` runs once the
   * first attempt was carried out, before its answer is lost.
   */
  lose(n: number, loss: Loss, between?: () => Promise<unknown>): void;
  /** Ends that; gives the action that was lost, or undefined where there were fewer calls. */
  heal(): string | undefined;
}

const settings = [
  "AWS_ENDPOINT_URL_DYNAMODB",
  "AWS_ENDPOINT_URL_SES",
  "AWS_ENDPOINT_URL_SQS",
  "AWS_ENDPOINT_URL_EVENTBRIDGE",
];

interface Plan {
  readonly n: number;
  readonly loss: Loss;
  readonly between: (() => Promise<unknown>) | undefined;
  /** The calls so far, by the id that the SDK gives all attempts of a call. */
  readonly calls: string[];
  lost: string | undefined;
  attempts: number;
}

/** Puts a lossy network before every endpoint of a test file's service. Call it after `useService`. */
export function useLossyNetwork(): LossyNetwork {
  let plan: Plan | undefined;
  const servers: Server[] = [];
  const agent = new Agent({ keepAlive: true });
  beforeAll(async () => {
    watchCalls((_, send, retries) => sendWithAllRetries(send, retries));
    for (const setting of settings) servers.push(await stand(setting, handle));
  });
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    agent.destroy();
  });
  return {
    lose: (n, loss, between) => {
      plan = { n, loss, between, calls: [], lost: undefined, attempts: 0 };
    },
    heal: () => {
      const lost = plan?.lost;
      plan = undefined;
      return lost;
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
    const body = await read(request);
    const loss = lossOf(request, body);
    if (loss === "refused") {
      response.writeHead(500, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ __type: "InternalServerError", message: "no" }));
      return;
    }
    const answer = await forward(request, body, target, agent);
    if (loss) await plan?.between?.();
    if (loss === "slow") await pause(Number(process.env.CALL_PATIENCE) * 4_000);
    if (loss) response.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  function lossOf(request: IncomingMessage, body: Buffer): Loss | undefined {
    if (!plan) return undefined;
    const call = String(request.headers["amz-sdk-invocation-id"]);
    if (!plan.calls.includes(call)) plan.calls.push(call);
    if (plan.calls.indexOf(call) !== plan.n - 1) return undefined;
    plan.lost ??= actionOf(request, body);
    plan.attempts += 1;
    return plan.loss === "interrupted" && plan.attempts > 1 ? undefined : plan.loss;
  }
}

/** Each call begins like that of a new environment: with all the retries that a client has. */
async function sendWithAllRetries(send: () => Promise<unknown>, retries: () => Promise<Retries>): Promise<unknown> {
  (await retries()).recordSuccess({ getRetryCost: () => Number.POSITIVE_INFINITY });
  return send();
}

async function stand(
  setting: string,
  handle: (request: IncomingMessage, response: ServerResponse, target: string) => Promise<void>,
): Promise<Server> {
  const target = new URL(process.env[setting] ?? "").origin;
  const server = createServer((request, response) => {
    handle(request, response, target).catch(() => response.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [name, value] of Object.entries(process.env)) {
    if (value?.startsWith(target)) process.env[name] = value.replace(target, origin);
  }
  return server;
}

function actionOf({ headers }: IncomingMessage, body: Buffer): string {
  const target = headers["x-amz-target"];
  return target ? (String(target).split(".")[1] ?? "") : (new URLSearchParams(body.toString()).get("Action") ?? "");
}

async function forward({ headers, url }: IncomingMessage, body: Buffer, target: string, agent: Agent) {
  const { host: _host, "content-length": _length, connection: _connection, ...sent } = headers;
  const answer = await post(new URL(url ?? "/", target), { headers: sent, agent }, body);
  const type = answer.headers["content-type"] ?? "application/x-amz-json-1.0";
  const error = answer.headers["x-amzn-errortype"];
  return {
    status: answer.statusCode ?? 0,
    headers: { "content-type": type, ...(error && { "x-amzn-errortype": error }) },
    body: await read(answer),
  };
}

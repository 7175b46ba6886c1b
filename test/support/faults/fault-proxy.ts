import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { post, read } from "./post.ts";

/** An error as DynamoDB answers it, instead of doing what was asked. */
export interface Fault {
  readonly status: number;
  readonly body: object;
}

/** A proxy before the DynamoDB engine that answers with faults where a test asks for them. */
export interface FaultProxy {
  /** How often each action was asked for since the last reset. */
  readonly calls: Map<string, number>;
  /** Answers the next `times` calls of an action with a fault, once it has let some pass. */
  fail(action: string, fault: Fault, times: number, passing?: number): void;
  /** Holds back the next call of an action, once it has let some pass; it goes on when what this gives is called. */
  hold(action: string, passing?: number): () => void;
  /** True while a call of the action is delayed. */
  holding(action: string): boolean;
  /** Holds back one in so many calls of an action for a while, until it has done so to `times` of them. */
  slow(action: string, milliseconds: number, oneIn: number, times: number): void;
  reset(): void;
}

/** Puts a proxy between the service and the engine, or the endpoint that a setting names, for a test file. Call it after `useService`. */
export function useFaultProxy(setting = "AWS_ENDPOINT_URL_DYNAMODB"): FaultProxy {
  const calls = new Map<string, number>();
  const faults = new Map<string, { fault: Fault; times: number; passing: number }>();
  const holds = new Map<string, { released: Promise<void>; passing: number }>();
  const waiting = new Set<string>();
  const delays = new Map<string, { milliseconds: number; oneIn: number; times: number }>();
  let target = "";
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (request, response) => {
    // The SDK repeats a call whose answer says that its clock is wrong, as a clock that a test has set is.
    response.sendDate = false;
    const action = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
    calls.set(action, (calls.get(action) ?? 0) + 1);
    const held = holds.get(action);
    if (held && held.passing > 0) held.passing -= 1;
    else if (held) {
      holds.delete(action);
      waiting.add(action);
      await held.released;
      waiting.delete(action);
    }
    const delay = delays.get(action);
    if (delay && delay.times > 0 && (calls.get(action) ?? 0) % delay.oneIn === 0) {
      delay.times -= 1;
      await pause(delay.milliseconds);
    }
    const planned = faults.get(action);
    if (planned && planned.passing > 0) planned.passing -= 1;
    else if (planned && planned.times > 0) {
      planned.times -= 1;
      request.resume();
      response.writeHead(planned.fault.status, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify(planned.fault.body));
      return;
    }
    const { host: _host, "content-length": _length, connection: _connection, ...headers } = request.headers;
    const type = { "content-type": "application/x-amz-json-1.0" };
    try {
      const answer = await post(new URL(request.url ?? "/", target), { headers, agent }, await read(request));
      response.writeHead(answer.statusCode ?? 0, type).end(await read(answer));
    } catch (error) {
      // Whoever called learns it as of the engine itself: a connection that ended, at the end of a file, too.
      response.destroy(error as Error);
    }
  });
  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    target = new URL(process.env[setting] ?? "").origin;
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const [name, value] of Object.entries(process.env)) {
      if (value?.startsWith(target)) process.env[name] = value.replace(target, origin);
    }
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    agent.destroy();
  });
  return {
    calls,
    fail: (action, fault, times, passing = 0) => void faults.set(action, { fault, times, passing }),
    hold: (action, passing = 0) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      holds.set(action, { released: promise, passing });
      return resolve;
    },
    holding: (action) => waiting.has(action),
    slow: (action, milliseconds, oneIn, times) => void delays.set(action, { milliseconds, oneIn, times }),
    reset: () => {
      calls.clear();
      faults.clear();
      delays.clear();
    },
  };
}

/** What DynamoDB answers when another transaction holds one of the items. */
export function transactionConflict(items: number): Fault {
  return cancelled(items, "TransactionConflict");
}

/** What DynamoDB answers when the partition of an item has no units left. */
export function transactionThrottled(items: number): Fault {
  return cancelled(items, "ThrottlingError");
}

function cancelled(items: number, code: string): Fault {
  const reasons = Array.from({ length: items }, (_, index) => ({ Code: index === 0 ? code : "None" }));
  return {
    status: 400,
    body: {
      __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
      message: "Transaction cancelled",
      CancellationReasons: reasons,
    },
  };
}

/** What DynamoDB answers when the condition of a transaction's first write does not hold. */
export function transactionConditionFailed(items: number): Fault {
  return cancelled(items, "ConditionalCheckFailed");
}

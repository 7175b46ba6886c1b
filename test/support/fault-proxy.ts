import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";

/** An error as DynamoDB answers it, instead of doing what was asked. */
export interface Fault {
  readonly status: number;
  readonly body: object;
}

/** A proxy before the DynamoDB engine that answers with faults where it is told to. */
export interface FaultProxy {
  /** How often each action was asked for since the last reset. */
  readonly calls: Map<string, number>;
  /** Answers the next `times` calls of an action with a fault. */
  fail(action: string, fault: Fault, times: number): void;
  reset(): void;
}

/** Puts a proxy between the service and the engine for a test file. Call it after `useService`. */
export function useFaultProxy(): FaultProxy {
  const calls = new Map<string, number>();
  const faults = new Map<string, { fault: Fault; times: number }>();
  let target = "";
  const server = createServer(async (request, response) => {
    const action = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
    calls.set(action, (calls.get(action) ?? 0) + 1);
    const planned = faults.get(action);
    if (planned && planned.times > 0) {
      planned.times -= 1;
      request.resume();
      response.writeHead(planned.fault.status, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify(planned.fault.body));
      return;
    }
    const { host: _host, "content-length": _length, connection: _connection, ...headers } = request.headers;
    const answer = await fetch(target, {
      method: "POST",
      headers: headers as Record<string, string>,
      body: await read(request),
    });
    response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" }).end(await answer.text());
  });
  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    target = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "";
    process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    calls,
    fail: (action, fault, times) => void faults.set(action, { fault, times }),
    reset: () => {
      calls.clear();
      faults.clear();
    },
  };
}

/** What DynamoDB answers when another transaction holds one of the items. */
export function transactionConflict(items: number): Fault {
  const reasons = Array.from({ length: items }, (_, index) =>
    index === 0 ? { Code: "TransactionConflict" } : { Code: "None" },
  );
  return {
    status: 400,
    body: {
      __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
      message: "Transaction cancelled",
      CancellationReasons: reasons,
    },
  };
}

async function read(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

import { Agent, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { inject } from "vitest";

interface Request {
  readonly headers: Record<string, string>;
}

interface Scope {
  readonly signingDate: Date;
  readonly signingRegion?: string;
  readonly signingService: string;
}

interface Signer {
  sign(request: Request, scope: Scope): Promise<Request>;
}

interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly hostname: string;
  readonly port?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface RequestHandler {
  handle(request: SdkRequest, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

interface Config {
  requestHandler: RequestHandler;
  credentials(): Promise<{ readonly accessKeyId: string }>;
  region(): Promise<string>;
  signer(): Promise<Signer>;
}

interface Client {
  readonly config: Config;
  readonly middlewareStack: { remove(name: string): boolean };
}

type Send = (this: Client, ...parameters: unknown[]) => Promise<unknown>;

const own = Symbol.for("workforce.test.plain-calls");

// Every client of the SDK inherits its `send`.
const everyClient = Object.getPrototypeOf(DynamoDBDocumentClient.prototype) as { send: Send; [own]?: WeakSet<Config> };

// Nothing here checks a signature or reads which SDK calls, and the SDK's own way to the engine does more than carry a
// request there: these take a third of a call. What a request says of its signer stays, and so does every limit of other calls.
if (!everyClient[own]) {
  const { send } = everyClient;
  const changed = new WeakSet<Config>();
  everyClient[own] = changed;
  const engine = new URL(inject("engineEndpoint"));
  const agent = new Agent({ keepAlive: true, noDelay: true });
  everyClient.send = function (...parameters) {
    const { config } = this;
    if (!changed.has(config)) {
      changed.add(config);
      config.signer = () => signerOf(config);
      this.middlewareStack.remove("getUserAgentMiddleware");
      if (inject("engineName") === "dynoxide") carryDirectly(config.requestHandler);
    }
    return send.apply(this, parameters);
  };

  /** Leaves to the handler itself whatever goes elsewhere: to a port that a test put there, or to another service. */
  function carryDirectly(handler: RequestHandler): void {
    const carry = handler.handle.bind(handler);
    handler.handle = (given, options) =>
      String(given.port) === engine.port && given.hostname === engine.hostname && !options?.abortSignal
        ? sendThrough(agent, given)
        : carry(given, options);
  }
}

/** Rejects as the SDK's own handler does if the connection is lost. */
function sendThrough(agent: Agent, { hostname, port, method, path, headers, body }: SdkRequest): Promise<object> {
  return new Promise((resolve, reject) => {
    const lose = (error: Error) => reject(Object.assign(error, { name: "TimeoutError" }));
    const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
      const { statusCode, headers } = response;
      buffer(response).then((body) => resolve({ response: { statusCode, headers, body } }), lose);
    });
    sent.on("error", lose).end(body);
  });
}

async function signerOf(config: Config): Promise<Signer> {
  const [{ accessKeyId }, region] = await Promise.all([config.credentials(), config.region()]);
  return {
    async sign(request, { signingDate, signingRegion = region, signingService }) {
      const moment = signingDate.toISOString().replace(/[-:]|\.\d+/g, "");
      const scope = [accessKeyId, moment.slice(0, 8), signingRegion, signingService, "aws4_request"].join("/");
      request.headers["x-amz-date"] = moment;
      request.headers.authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${noSignature}`;
      return request;
    },
  };
}

const noSignature = "0".repeat(64);

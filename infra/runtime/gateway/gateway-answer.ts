import type { ServerResponse } from "node:http";

export interface GatewayAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

interface FunctionResult {
  statusCode?: unknown;
  headers?: Record<string, unknown>;
  body?: unknown;
  isBase64Encoded?: unknown;
}

/** Lambda's limit for the result of a call as JSON. */
const mostResultBytes = 6_291_556;

/** The answer that an HTTP API makes of a function's result. Throws if there is no result. */
export function gatewayAnswer(result: unknown): GatewayAnswer {
  if (Buffer.byteLength(JSON.stringify(result)) > mostResultBytes) return gatewayRefusal(500);
  const { statusCode, headers = {}, body, isBase64Encoded } = result as FunctionResult;
  const text = body ?? "";
  if (!/^[1-5]\d\d$/.test(String(statusCode)) || typeof text !== "string") return gatewayRefusal(500);
  const entries = Object.entries({ "content-type": "text/plain;charset=UTF-8", ...headers });
  return {
    status: Number(statusCode),
    headers: Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)])),
    body: Buffer.from(text, isBase64Encoded === true ? "base64" : "utf8"),
  };
}

const refusals = {
  404: "Not Found",
  413: "Request Entity Too Large",
  500: "Internal Server Error",
};

/** An answer that API Gateway gives by itself. A reason is this machine's own addition. */
export function gatewayRefusal(status: keyof typeof refusals, reason?: string): GatewayAnswer {
  const body = Buffer.from(JSON.stringify({ message: refusals[status], reason }));
  return { status, headers: { "content-type": "application/json" }, body };
}

/** Writes the answer. Headers that HTTP does not allow make it a 500, as they do behind API Gateway. */
export function writeAnswer(response: ServerResponse, answer: GatewayAnswer): void {
  const length = answer.status === 204 ? {} : { "content-length": answer.body.length };
  try {
    response.writeHead(answer.status, { ...answer.headers, ...length });
  } catch {
    writeAnswer(response, gatewayRefusal(500));
    return;
  }
  response.end(answer.body);
}

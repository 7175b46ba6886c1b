import { type Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";

/** Not by `fetch`, whose streams take more of a processor than the rest of a call: all calls of a service pass here. */
export function post(
  url: URL,
  options: { headers: OutgoingHttpHeaders; agent: Agent },
  body: Buffer,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { method: "POST", ...options }, resolve)
      .on("error", reject)
      .end(body);
  });
}

/** The whole body of a request or an answer. */
export async function read(message: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

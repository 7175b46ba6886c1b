import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";

/** An HTTP server, by default on the loopback interface. */
export interface HttpService {
  port: number;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 only, or with `lan` on every IPv4 address of this computer. Port 0 takes a free one. Rejects
 * with the system's error if the port is taken.
 */
export async function startHttpService(
  listener: RequestListener,
  { port = 0, lan = false }: { port?: number; lan?: boolean | undefined } = {},
): Promise<HttpService> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  server.listen(port, lan ? "0.0.0.0" : "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The HTTP server has no port.");
  return { port: address.port, close: () => stop(server) };
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** The whole body of a request; undefined if it is longer than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
  }
  return length <= limit ? Buffer.concat(chunks) : undefined;
}

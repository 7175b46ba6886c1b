import { once } from "node:events";
import { createServer } from "node:net";

/** A TCP port of the loopback interface that nobody listens on at this moment: the given one, or any for 0. */
export async function findFreePort(wanted = 0): Promise<number> {
  const server = createServer();
  server.listen(wanted, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    throw taken
      ? new Error(`Port ${wanted} is in use: stop the process that uses it, or set PORT to another one.`)
      : error;
  }
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The loopback interface gave no port.");
  return address.port;
}

import { startHttpService } from "./http-service.ts";

/** A TCP port of the loopback interface that nobody listens on at this moment: the given one, or any for 0. */
export async function findFreePort(wanted = 0): Promise<number> {
  try {
    const { port, close } = await startHttpService(() => {}, { port: wanted });
    await close();
    return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${wanted} is in use: stop the process that uses it, or set PORT to another one.`);
  }
}

import { randomInt } from "node:crypto";
import { startHttpService } from "./http-service.ts";

/** Below the range from which operating systems assign ports to connections at any moment. */
const lowest = 20_000;
const above = 32_768;
const mostTries = 100;

/** A TCP port of the loopback interface that is free at this moment: the given one, or any for 0. */
export async function findFreePort(wanted = 0): Promise<number> {
  if (wanted !== 0) return requireFree(wanted);
  for (let tries = 1; tries < mostTries; tries += 1) {
    const found = await requireFree(randomInt(lowest, above)).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return requireFree(0);
}

async function requireFree(wanted: number): Promise<number> {
  try {
    const { port, close } = await startHttpService(() => {}, { port: wanted });
    await close();
    return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${wanted} is in use: stop the process that uses it, or set PORT to another one.`);
  }
}

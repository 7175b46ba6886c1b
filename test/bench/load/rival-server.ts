import { spawn } from "node:child_process";
import { once } from "node:events";
import { findFreePort } from "../../../infra/local/loopback-port.ts";

/** A server that does the same job. */
export interface RivalServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

const readyMilliseconds = 30_000;

/** Starts a rival in a process of its own and waits until it says that it is ready. */
export async function startRival(file: string, environment: Readonly<Record<string, string>>): Promise<RivalServer> {
  const port = await findFreePort(0);
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, ...environment, PORT: String(port), NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const close = async () => {
    child.kill();
    await ended;
  };
  const timer = setTimeout(() => child.kill(), readyMilliseconds);
  const isReady = await Promise.race([once(child.stdout, "data").then(() => true), ended.then(() => false)]);
  clearTimeout(timer);
  if (!isReady) throw new Error(`${file} ended before it was ready`);
  return { baseUrl: `http://127.0.0.1:${port}`, close };
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** What a server did under load. */
export interface Load {
  readonly requestsPerSecond: number;
  readonly p99Milliseconds: number;
  /** Answers that were not 200, and requests without an answer. */
  readonly errors: number;
}

interface LoadRequest {
  readonly url: string;
  readonly token: string;
  readonly seconds: number;
}

const connections = 10;
const warmUpSeconds = 2;

/** What of autocannon's report counts here. */
interface Report {
  readonly requests: { readonly average: number };
  readonly latency: { readonly p99: number };
  readonly errors: number;
  readonly timeouts: number;
  readonly non2xx: number;
}

/** Warms a server up and puts it under load with autocannon, ten connections at once. */
export async function putUnderLoad(rivals: string, { url, token, seconds }: LoadRequest): Promise<Load> {
  await fire(rivals, { url, token, seconds: warmUpSeconds });
  const { requests, latency, errors, timeouts, non2xx } = await fire(rivals, { url, token, seconds });
  return { requestsPerSecond: requests.average, p99Milliseconds: latency.p99, errors: errors + timeouts + non2xx };
}

async function fire(rivals: string, { url, token, seconds }: LoadRequest): Promise<Report> {
  const autocannon = join(rivals, "node_modules/autocannon/autocannon.js");
  const settings = ["--json", "--no-progress", "-c", String(connections), "-d", String(Math.ceil(seconds))];
  const child = spawn(process.execPath, [autocannon, ...settings, "-H", `Authorization=Bearer ${token}`, url], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let report = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    report += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`autocannon ended with ${code}`);
  return JSON.parse(report) as Report;
}

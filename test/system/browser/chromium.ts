import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installBrowserTools } from "./install.ts";

/** The path at which Debian's package puts it. */
const program = "/usr/bin/chromium";

/** Why no browser can be driven here; undefined where one can. */
export const browserObstacle = existsSync(program) ? undefined : `there is no ${program}`;

/** The part of Playwright's page that tests use. */
export interface BrowserPage {
  goto(url: string): Promise<unknown>;
  evaluate<T, A>(work: (input: A) => Promise<T>, input: A): Promise<T>;
  on(event: "pageerror", listener: (error: Error) => void): void;
}

/** The part of its context: what tabs of one user share. */
export interface BrowserContext {
  newPage(): Promise<BrowserPage>;
  route(url: string, answer: (route: Route) => Promise<void>): Promise<void>;
  on(event: "request", listener: (request: { url(): string; method(): string }) => void): void;
}

interface Route {
  request(): { url(): string };
  fulfill(answer: { path?: string; status?: number; headers?: Record<string, string>; body?: string }): Promise<void>;
}

/** A browser that runs. */
export interface Browser {
  newContext(): Promise<BrowserContext>;
  close(): Promise<void>;
}

/**
 * Without the sandbox, which needs rights that containers lack. A page whose files a test fulfils is of no address; its calls
 * to this machine are then calls from the internet into a local network, which Chromium asks its user about.
 */
const options = ["--no-sandbox", "--disable-features=LocalNetworkAccessChecks"];

/** Starts Chromium without a window. */
export async function startChromium(): Promise<Browser> {
  const { chromium } = await import(pathToFileURL(join(installBrowserTools(), "playwright-core/index.mjs")).href);
  return chromium.launch({ executablePath: program, headless: true, args: options });
}

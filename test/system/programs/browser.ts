import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { installGateTools } from "../../gates/install.ts";

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

/** Whether this machine has Chromium where Debian's package, or Chrome's own, puts it. */
export const hasChromium = executablePath !== undefined;

/** A page, and what the browser has said and asked for it so far. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the console, refusals of the content security policy among them, and errors that nothing caught. */
  readonly faults: string[];
  /** The addresses of all requests but those for data in the address itself, refused ones as well. */
  readonly requests: string[];
}

/** The settings of a reader's browser. */
export interface Reader {
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
}

/** Starts Chromium for a test file; gives what opens a page of its own, without anything stored. */
export function useBrowser(): (reader?: Reader) => Promise<WatchedPage> {
  let browser: Browser;
  beforeAll(async () => {
    if (executablePath) browser = await chromium.launch({ executablePath, args });
  }, 120_000);
  afterAll(() => browser?.close());
  return async ({ colorScheme = "light", width = 1440 } = {}) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    // Others keep the processors busy meanwhile.
    page.setDefaultTimeout(90_000);
    const watched: WatchedPage = { page, faults: [], requests: [] };
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) watched.faults.push(message.text());
    });
    page.on("pageerror", (error) => watched.faults.push(String(error)));
    page.on("dialog", (dialog) => {
      watched.faults.push(`dialog: ${dialog.message()}`);
      return dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!request.url().startsWith("data:")) watched.requests.push(request.url());
    });
    return watched;
  };
}

/**
 * Without the sandbox, which needs rights that containers lack. A page whose files a test fulfils has no address: Chromium would
 * ask its user about the page's calls to this machine.
 */
const args = ["--no-sandbox", "--disable-features=LocalNetworkAccessChecks"];

/** A rule of axe that a page breaks seriously, and the elements that do. */
export interface Barrier {
  readonly rule: string;
  readonly elements: readonly string[];
}

/**
 * The findings of axe that keep people out of a page, or out of a part of it: serious and critical ones. It asks no frame: the one
 * that the desk has runs no script, so that it cannot answer, and Chromium may report the question as an error of the page.
 */
export async function findBarriers(page: Page, part = "body"): Promise<Barrier[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) {
    await page.evaluate(readFileSync(join(installGateTools(), "axe-core/axe.min.js"), "utf8"));
  }
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(part)}, { resultTypes: ["violations"], iframes: false })`,
  )) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => ({ rule: id, elements: nodes.map(({ html }) => html.slice(0, 200)) }));
}

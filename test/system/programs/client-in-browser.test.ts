import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { demoPassword } from "../../../infra/local/demo/demo-people.ts";
import { root } from "../../../infra/support/root.ts";
import type * as Source from "../../../shared/client/index.ts";
import { buildClientPackage } from "../../client/built-client.ts";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { hasChromium, useBrowser } from "./browser.ts";

declare global {
  /** The client that the app gives the tests, in the browser. */
  var workforce: typeof Source;
}

const origin = "http://localhost:5173";
const name = "@acme/workforce";
const directory = await makeDemoDirectory();
const app = newFolder();
const dist = join(app, "dist");

/** Installs the packed client into an empty app, and builds that by the Vite that vitest comes with. */
function buildApp(packed: string): void {
  const manifest = { name: "app", version: "0.0.0", private: true, type: "module" };
  const files = {
    "package.json": JSON.stringify(manifest),
    "index.html": `<!doctype html><title>App</title><script type="module" src="/main.ts"></script>\n`,
    "main.ts": `import * as workforce from "${name}";\nObject.assign(globalThis, { workforce });\n`,
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(app, file), text);
  const run = (program: string, ...parameters: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, parameters, { cwd: app, encoding: "utf8" });
    expect({ status, printed: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, printed: "" });
  };
  run("npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", packed);
  run(process.execPath, join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn");
}

describe.skipIf(!hasChromium)("an app of Vite with the packed client, in Chromium", { timeout: 150_000 }, () => {
  const own = useOwnMachine(directory);
  const openPage = useBrowser();
  let context: BrowserContext;
  const [faults, requests]: [string[], string[]] = [[], []];

  beforeAll(async () => {
    const { packed } = await buildClientPackage(name);
    buildApp(packed);
  }, 240_000);

  beforeEach(async () => {
    for (const list of [faults, requests]) list.length = 0;
    context = (await openPage()).page.context();
    // The app's files come from its origin, which the service knows; its calls go to the service for real.
    await context.route(`${origin}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname.startsWith("/redirecting/"))
        return route.fulfill({ status: 302, headers: { location: `${origin}/` } });
      return route.fulfill({ path: join(dist, pathname === "/" ? "index.html" : pathname) });
    });
    context.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
  });

  async function openTab(): Promise<Page> {
    const page = await context.newPage();
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.goto(origin);
    return page;
  }

  const input = () => ({
    baseUrl: own.machine.baseUrl,
    login: own.machine.loginOf("operator"),
    password: demoPassword,
  });
  const renewals = () => requests.filter((each) => each.startsWith("POST") && each.endsWith("/users/token")).length;

  test("signs in, walks a list by its headers and reads a refusal, from another origin", async () => {
    const page = await openTab();
    const seen = await page.evaluate(async ({ baseUrl, login, password }) => {
      const { createClient, storageStore, ProblemError } = globalThis.workforce;
      const client = createClient({ baseUrl, store: storageStore(sessionStorage) });
      await client.signIn({ login, password });
      let [items, pages, total] = [0, 0, 0];
      for await (const each of client.listInvoices({ per_page: 30 }) as AsyncIterable<Record<string, unknown>>) {
        items += (each.invoices as unknown[]).length;
        total = each.total as number;
        pages += 1;
      }
      const error = await client.getInvoice({ id: 9_999_999 }).then(undefined, (error: unknown) => error);
      const { code, requestId } = error as InstanceType<typeof ProblemError>;
      return { items, pages, total, isProblem: error instanceof ProblemError, code, hasRequestId: Boolean(requestId) };
    }, input());
    expect(seen).toMatchObject({ isProblem: true, code: "record_not_found", hasRequestId: true });
    expect(seen.total).toBeGreaterThan(60);
    expect(seen).toMatchObject({ items: seen.total, pages: Math.ceil(seen.total / 30) });
    expect(faults).toEqual([]);
  });

  test("D5: two tabs renew a session once, and neither is signed out", async () => {
    const tabs = [await openTab(), await openTab()];
    await tabs[0]?.evaluate(async ({ baseUrl, login, password }) => {
      const { createClient, storageStore } = globalThis.workforce;
      await createClient({ baseUrl, store: storageStore(localStorage) }).signIn({ login, password });
      const session = JSON.parse(localStorage.getItem("workforce") ?? "");
      localStorage.setItem("workforce", JSON.stringify({ ...session, accessToken: "refused" }));
    }, input());
    const callTwice = (page: Page) =>
      page.evaluate(async ({ baseUrl }) => {
        const { createClient, storageStore } = globalThis.workforce;
        const client = createClient({ baseUrl, store: storageStore(localStorage) });
        return Promise.all([client.getProfile(), client.getUnreadCounts()]).then((answers) => answers.length);
      }, input());
    expect(await Promise.all(tabs.map(callTwice))).toEqual([2, 2]);
    expect(renewals()).toBe(1);
    expect(await Promise.all(tabs.map(callTwice))).toEqual([2, 2]);
    expect(renewals()).toBe(1);
  });

  test("a redirect, which a browser hides, and a page instead of the service are typed errors", async () => {
    const page = await openTab();
    const seen = await page.evaluate(
      async (bases) => {
        const { createClient, ClientError } = globalThis.workforce;
        const outcomes = bases.map((baseUrl) =>
          createClient({ baseUrl, retries: 0 })
            .getHealth()
            .then(
              () => "answered",
              (error: unknown) => (error instanceof ClientError ? error.name : String(error)),
            ),
        );
        return Promise.all(outcomes);
      },
      ["/redirecting", `${origin}/index.html?`, "http://127.0.0.1:9"],
    );
    expect(seen).toEqual(["ProtocolError", "ProtocolError", "NetworkError"]);
  });
});

import { beforeAll, describe, expect, test } from "vitest";
import { demoPassword } from "../../../infra/local/demo/demo-people.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { operations, type Tag, tagOf } from "../../../shared/contract/operations.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { findBarriers, hasChromium, type Reader, useBrowser, type WatchedPage } from "./browser.ts";

const own = useOwnMachine(await makeDemoDirectory());
const openPage = useBrowser();

/** Opens the reference, and waits until it shows its introduction and the areas of operations. */
async function openDocs({
  address = "/docs/reference",
  ...reader
}: Reader & { address?: string } = {}): Promise<WatchedPage> {
  const watched = await openPage(reader);
  await watched.page.goto(own.machine.baseUrl + address);
  await watched.page.getByRole("heading", { name: "Workforce API" }).waitFor();
  return watched;
}

/** Leads to an operation by its address, and waits for its section. */
async function showOperation({ page }: WatchedPage, { method, path }: Operation): Promise<string> {
  const link = page.locator(`aside a[href$="/${method}${path}"]`);
  await link.evaluate((element) => (element as unknown as { click(): void }).click());
  const section = page.locator(`section[id$="/${method}${path}"]`);
  await section.waitFor();
  return section.innerText();
}

/** Opens the areas of the sidebar, or one of them, so that it has a link to each operation. */
async function openAreas({ page }: WatchedPage, tag: Tag | "" = ""): Promise<void> {
  const closed = page.locator(`aside [data-sidebar-id*="/tag/${tag}"] button[aria-expanded="false"]`);
  while ((await closed.count()) > 0) await closed.first().click();
}

/**
 * The rules of axe that Scalar's own markup breaks: a button that copies has no name, one that shows more is named otherwise than
 * it reads, and code that scrolls takes no focus. Contrast is no part of it: the colours are the page's own.
 */
const barriersOfScalar = ["button-name", "label-content-name-mismatch", "scrollable-region-focusable"];

type Look = readonly [colorScheme: "light" | "dark", width: number];
const eachOnce: Look[] = [
  ["light", 1440],
  ["dark", 390],
];
const others: Look[] = [
  ["dark", 1440],
  ["light", 390],
];
/** One operation of each area, and all of them at full count: to lead to one takes seconds. */
const shown = usualOrFull([...new Map(operations.map((each) => [tagOf(each), each])).values()], operations);
/** Each colour and each width once; all pairs of them at full count. */
const looks = usualOrFull(eachOnce, [...eachOnce, ...others]);

interface TriedAnswer {
  readonly url: string;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed answer of any operation
  readonly body: any;
}

/** Sends an operation's request from the page, filled in before, and closes it. */
async function tryOperation(watched: WatchedPage, operation: Operation, fill = async () => {}): Promise<TriedAnswer> {
  const { page } = watched;
  await showOperation(watched, operation);
  const section = page.locator(`section[id$="/${operation.method}${operation.path}"]`);
  await section.getByRole("button", { name: /Test Request/ }).click();
  const send = page.locator(".scalar-client--open").getByRole("button", { name: /Send/ }).first();
  await send.waitFor();
  await fill();
  const isAnswer = (url: string) => new URL(url).pathname === operation.path;
  const [answer] = await Promise.all([page.waitForResponse((response) => isAnswer(response.url())), send.click()]);
  const tried = { url: answer.url(), status: answer.status(), body: await answer.json() };
  await page.keyboard.press("Escape");
  await page.locator(".scalar-client--open").waitFor({ state: "hidden" });
  return tried;
}

/** All that the page keeps in the browser: values of its storages, and names of its databases. */
async function stored({ page }: WatchedPage): Promise<string> {
  return String(
    await page.evaluate(
      "indexedDB.databases().then((databases) => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases]))",
    ),
  );
}

const outside = ({ requests }: WatchedPage) => requests.filter((url) => !url.startsWith(`${own.machine.baseUrl}/`));

describe.skipIf(!hasChromium)("the documentation page, in Chromium", { timeout: 150_000 }, () => {
  /** One page for the tests that leave it open to the next. */
  let watched: WatchedPage;
  beforeAll(async () => {
    watched = await openDocs();
  });

  test("shows the guides and every operation, without an error, and asks no other host for anything", async () => {
    await openAreas(watched);
    const sidebar = await watched.page.locator("aside").first().innerText();
    for (const { name, summary } of operations) expect(sidebar, name).toContain(summary);
    for (const operation of shown) {
      const text = await showOperation(watched, operation);
      expect(text, operation.name).toContain(operation.summary);
    }
    expect(watched.faults).toEqual([]);
    expect(outside(watched)).toEqual([]);
    expect(watched.requests).toContain(`${own.machine.baseUrl}/api/v1/openapi.json`);
  });

  test("shows the client in the box of clients, and events apart from operations", async () => {
    const { page } = watched;
    await page.getByText("npm install PATH/acme-workforce-").waitFor();
    await openAreas(watched);
    const underFinance = page.locator('aside [data-sidebar-id*="/tag/finance"]');
    expect((await underFinance.allInnerTexts()).join()).not.toContain("was paid");
    await page.locator("aside").getByText("Webhooks", { exact: true }).waitFor();
  });

  test("calls as a demo user who is chosen, without a pasted token", async () => {
    const { page } = watched;
    const minted = page.waitForResponse("**/_local/desk/token");
    await page.selectOption("#caller", { label: "Owen Pryce, operator" });
    await minted;
    await openAreas(watched);
    expect(await tryOperation(watched, listInvoices)).toMatchObject({ status: 200 });
    expect(watched.faults).toEqual([]);
    expect(await stored(watched)).not.toContain("eyJ");
  });

  test("signs in and lists invoices by requests to try, and forgets the token when it is loaded again", async () => {
    const watched = await openDocs();
    const { page } = watched;
    for (const tag of ["sessions", "finance"] as const) await openAreas(watched, tag);
    const body = { user: { login: own.machine.loginOf("operator"), password: demoPassword } };
    const signedIn = await tryOperation(watched, signIn, async () => {
      await page.locator(".scalar-client--open .cm-content").last().click();
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.insertText(JSON.stringify(body));
    });
    expect(signedIn.status).toBe(200);
    const listed = await tryOperation(watched, listInvoices, async () => {
      await page.locator('.scalar-client--open input[placeholder="Token"]').fill(signedIn.body.token.access_token);
    });
    expect(listed.status).toBe(200);
    expect(listed.body.invoices.length).toBe(20);
    expect(new URL(listed.url).search).toBe("");
    expect(watched.faults).toEqual([]);
    expect(outside(watched)).toEqual([]);
    expect(await stored(watched)).not.toContain("eyJ");
    await page.reload();
    await openAreas(watched, "finance");
    expect((await tryOperation(watched, listInvoices)).status).toBe(401);
  });

  test.each([
    "/docs/reference?url=https://attacker.example/openapi.json#javascript:alert(1)//%22%3E%3Csvg%20onload=alert(1)%3E",
    "/docs/reference?api=javascript:alert(1)&scalar_url=https://attacker.example&proxyUrl=https://attacker.example#tag/%00%ff/__proto__/constructor",
    "/docs/reference?url=data:application/json,{}&configuration={%22url%22:%22https://attacker.example%22}&name=<script>alert(1)</script>#<img src=x onerror=alert(1)>",
  ])("shows the service's own document at %s, and nothing of the address runs", async (address) => {
    const watched = await openDocs({ address });
    const { page } = watched;
    await page.waitForLoadState("networkidle");
    expect(await page.getByRole("heading", { name: "Workforce API" }).count()).toBe(1);
    expect(await page.locator("img[src=x], svg[onload]").count()).toBe(0);
    expect(await page.content()).not.toContain("attacker.example/");
    expect(watched.faults).toEqual([]);
    expect(outside(watched)).toEqual([]);
  });

  test("says so where the document cannot be read, and offers nothing of another origin", async () => {
    const watched = await openPage();
    await watched.page.route("**/api/v1/openapi.json", (route) => route.fulfill({ status: 503, body: "{}" }));
    await watched.page.goto(`${own.machine.baseUrl}/docs/reference`);
    await watched.page.getByRole("alert").waitFor();
    const text = await watched.page.getByRole("alert").innerText();
    expect(text).toBe(
      "The documentation cannot be shown: /api/v1/openapi.json was answered with 503. Reload the page to try again.",
    );
    expect(await findBarriers(watched.page)).toEqual([]);
    expect(outside(watched)).toEqual([]);
  });

  test.each(
    looks,
  )("keeps nobody out of its own parts, in %s at %i pixels; of Scalar's, by what is known alone", async (colorScheme, width) => {
    const { page } = await openDocs({ colorScheme, width });
    expect(await findBarriers(page, ".bar")).toEqual([]);
    await page.evaluate(
      `location.hash = "#tag/finance/GET${listInvoices.path}"; dispatchEvent(new PopStateEvent("popstate"))`,
    );
    await page.locator(`section[id$="/GET${listInvoices.path}"]`).waitFor();
    const rules = (await findBarriers(page)).map(({ rule }) => rule);
    expect(rules.filter((rule) => !barriersOfScalar.includes(rule))).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });

  test("has the guides as it arrives, without the reference; their samples call the service that answers", async () => {
    const watched = await openPage();
    const { page } = watched;
    await page.goto(`${own.machine.baseUrl}/docs`, { waitUntil: "domcontentloaded" });
    expect(await page.locator("h2").first().innerText()).toBe("First call");
    await page.waitForLoadState("networkidle");
    const samples = (await page.locator("main pre").allTextContents()).join();
    expect(samples).toContain(`BASE=${own.machine.baseUrl}/api/v1`);
    expect(samples).not.toContain("localhost:3000");
    expect(watched.requests.some((url) => url.includes("scalar"))).toBe(false);
    expect(outside(watched)).toEqual([]);
    await page.selectOption("#caller", { label: "Dana Whitfield, driver" });
    const answer = page.locator("#call-as pre");
    await answer.waitFor();
    expect(await answer.innerText()).toContain('"role": "driver"');
    expect(watched.faults).toEqual([]);
  });

  test("shows a sample in one language, which is remembered, and marks the guide that is read", async () => {
    const { page, faults } = await openPage();
    await page.goto(`${own.machine.baseUrl}/docs`, { waitUntil: "networkidle" });
    const samples = page.locator("[role=tabpanel]");
    expect(await samples.count()).toBeGreaterThan(20);
    const orders = (await page.locator(".tabs").allTextContents()).filter((names) => names !== "ShellJavaScript");
    expect(orders).toEqual([]);
    expect(await page.locator("[role=tabpanel]:visible pre[data-language=js]").count()).toBe(0);
    await page.locator("#retries + p, #retries ~ .tabs").getByRole("tab", { name: "Shell" }).first().focus();
    await page.keyboard.press("ArrowRight");
    const jsAlone = async () => {
      expect(await page.locator("[role=tabpanel]:visible pre[data-language=sh]").count()).toBe(0);
      expect(await page.locator("[role=tabpanel]:visible pre[data-language=js]").count()).toBeGreaterThan(10);
    };
    await jsAlone();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("JavaScript");
    await page.goto(`${own.machine.baseUrl}/docs#push`, { waitUntil: "networkidle" });
    await page.reload({ waitUntil: "networkidle" });
    await jsAlone();
    const marked = page.locator(".contents a[aria-current]");
    await marked.waitFor();
    expect(await marked.getAttribute("href")).toBe("#push");
    expect(faults).toEqual([]);
  });

  test.each(
    looks,
  )("keeps nobody out of the guides, in %s at %i pixels, and scrolls long samples", async (colorScheme, width) => {
    const { page } = await openPage({ colorScheme, width });
    await page.goto(`${own.machine.baseUrl}/docs`, { waitUntil: "networkidle" });
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    const scrolls = await page.evaluate(
      '[...document.querySelectorAll("main pre")].some((each) => each.scrollWidth > each.clientWidth)',
    );
    expect(scrolls).toBe(true);
  });
});

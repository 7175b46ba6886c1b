import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { demoPasscode } from "../../../infra/local/demo/demo-people.ts";
import { openInboxes } from "../../support/requests/inboxes.ts";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { findBarriers, hasChromium, type Reader, useBrowser, type WatchedPage } from "./browser.ts";

const directory = await makeDemoDirectory();
const own = useOwnMachine(directory);
const openPage = useBrowser();
const client = "client@harbour-logistics.example";

/** One request of each kind that leaves a story: a change that is pushed to a phone, and a pin by mail. */
beforeAll(async () => {
  const { request } = own;
  const notification = { token: "fcm-token-of-dana", platform: "android" };
  expect(
    (await request("POST", "/api/v1/users/notifications/token", { role: "driver", body: { notification } })).status,
  ).toBe(200);
  // One after the other: two changes that one batch takes leave the totals as they were.
  for (const [at, state] of ["pending", "paid"].entries()) {
    const body = { timesheet: { timesheet_ids: [2], state } };
    expect((await request("PATCH", "/api/v1/finance/timesheets/bulk_update", { role: "operator", body })).status).toBe(
      200,
    );
    await vi.waitFor(async () => expect(await pushes()).toHaveLength(at + 1), {
      timeout: 60_000,
      interval: 300,
    });
  }
  await request("POST", "/api/v1/users/password", { body: { user: { login: client } } });
  await openInboxes([`${own.machine.baseUrl}/_local/inbox`]).messageTo(client);
}, 300_000);

async function readDesk(path: string): Promise<{ id: string; channel?: string }[]> {
  return (await fetch(`${own.machine.baseUrl}/_local/desk/${path}`)).json() as ReturnType<typeof readDesk>;
}

const pushes = async () => (await readDesk("inbox")).filter(({ channel }) => channel === "push");

async function openDesk(view: string, reader?: Reader): Promise<WatchedPage> {
  const watched = await openPage(reader);
  await watched.page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: own.machine.baseUrl });
  await watched.page.goto(`${own.machine.baseUrl}/_local/#/${view}`);
  await watched.page.getByRole("heading", { level: 1 }).waitFor();
  return watched;
}

/** Nothing failed, and nobody but the machine was asked for anything. */
function expectQuiet({ faults, requests }: WatchedPage): void {
  expect(faults).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(`${own.machine.baseUrl}/`))).toEqual([]);
  expect(requests.filter((url) => /token=|desk-token|eyJ/.test(url))).toEqual([]);
}

/** A test of a view, in which nothing fails and nobody but the machine is asked. */
function testView(title: string, view: string, check: (page: Page) => Promise<void>): void {
  test(title, async () => {
    const watched = await openDesk(view);
    await check(watched.page);
    expectQuiet(watched);
  });
}

const openLink = (page: Page, name: RegExp) => page.getByRole("link", { name }).first().click();

const clipboardOf = (page: Page) => page.evaluate<string>("navigator.clipboard.readText()");

/** Cards that hide what they hold: nothing scrolls in them. */
const cutOffCards = `[...document.querySelectorAll(".card")]
  .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)
  .map((card) => card.getAttribute("aria-label"))`;

describe.skipIf(!hasChromium)("the desk, in Chromium,", { timeout: 150_000 }, () => {
  testView("gives a token of anyone, who is found by name", "people", async (page) => {
    await page.getByRole("searchbox").fill("dana driver");
    await expect.poll(() => page.getByRole("button", { name: "Copy token", exact: true }).count()).toBe(1);
    await page.getByRole("button", { name: "Copy token", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const headers = { authorization: `Bearer ${await clipboardOf(page)}` };
    const profile = await fetch(`${own.machine.baseUrl}/api/v1/users/me`, { headers });
    expect(await profile.json()).toMatchObject({ user: { first_name: "Dana", role: "driver" } });
  });

  test("lists who has no company, the admins and each company's people apart", async () => {
    const { page } = await openPage();
    const person = (id: number, role: string, company: string | null) => ({
      id,
      name: `P${id}`,
      role,
      company,
      logins: [],
    });
    const people = [person(1, "driver", null), person(2, "admin", null), person(3, "driver", "Harbour")];
    await page.route("**/_local/desk/people?*", (route) => route.fulfill({ json: { people, total: 3 } }));
    await page.goto(`${own.machine.baseUrl}/_local/#/people`);
    for (const [company, name] of [
      ["No company", "P1"],
      ["Platform", "P2"],
      ["Harbour", "P3"],
    ] as const) {
      await page.getByRole("region", { name: company, exact: true }).getByText(name).waitFor();
    }
    expect(await page.getByRole("region").count()).toBe(3);
  });

  test("shows what succeeded, what was refused and what failed in three colours, and a refusal of its own", async () => {
    const { page } = await openPage();
    const row = { at: 0, kind: "request", method: "GET", target: "/x", functionName: "x", milliseconds: 1, user: null };
    const rows = [200, 403, 500].map((status) => ({ ...row, id: `${status}`, status, code: null, isBad: false }));
    await page.route("**/_local/desk/requests", (route) => route.fulfill({ json: rows }));
    await page.goto(`${own.machine.baseUrl}/_local/#/requests`);
    const colourOf = async (words: string) => {
      await page.getByText(words, { exact: true }).first().waitFor();
      const found = `[...document.querySelectorAll("main *")].findLast((each) => each.textContent === "${words}")`;
      return page.evaluate<string>(`getComputedStyle(${found}).color`);
    };
    const [good, refused, failed] = [await colourOf("200"), await colourOf("403"), await colourOf("500")];
    expect(new Set([good, refused, failed]).size).toBe(3);
    await page.route("**/_local/desk/token", (route) =>
      route.fulfill({ status: 400, json: { message: "No such user" } }),
    );
    await page.goto(`${own.machine.baseUrl}/_local/#/people`);
    await page.getByRole("button", { name: "Copy token", exact: true }).first().click();
    await page.getByText("No such user").hover();
    expect(await colourOf("No such user")).toBe(failed);
  });

  testView(
    "shows what followed from a request, sends it again, and copies it as commands",
    "requests",
    async (page) => {
      await openLink(page, /PATCH .*bulk_update/);
      const story = page.getByRole("article", { name: "Story of the request" });
      await story.getByRole("heading", { name: "Owen Pryce paid 1 timesheet" }).waitFor();
      const row = (title: string) => story.getByText(title, { exact: true }).first();
      for (const step of ["bulk-update-timesheets", "keep-history", "notify", "deliver-notifications", "send-pushes"]) {
        await row(step).waitFor();
      }
      for (const change of ["1 timesheet", "1 notification", "Push to Dana Whitfield"]) await row(change).waitFor();
      const count = story.getByText(/^notification counts/).first();
      expect(await count.isVisible()).toBe(false);
      await story.getByText(/more writes$/).click();
      await count.waitFor();
      await row("1 timesheet").click();
      await story.getByText("Dana Whitfield ·").first().waitFor();
      await row("Push to Dana Whitfield").click();
      await story.locator(".notification").getByText("A timesheet was paid").waitFor();
      await page.getByRole("button", { name: "Copy as curl" }).click();
      expect(await clipboardOf(page)).toMatch(/^curl .*-X 'PATCH' .*\n.*npm run -s token -- --as 'operator@/);
      await page.getByRole("button", { name: "Copy as invoke event" }).click();
      await expect.poll(async () => (await clipboardOf(page)).startsWith("{")).toBe(true);
      expect(JSON.parse(await clipboardOf(page))).toMatchObject({
        rawPath: "/api/v1/finance/timesheets/bulk_update",
        headers: { authorization: "Bearer {{token}}" },
      });
      const before = page.url();
      await page.getByRole("button", { name: "Send again" }).click();
      await expect.poll(() => page.url()).not.toBe(before);
      await expect.poll(() => page.getByRole("link", { name: /PATCH .*bulk_update/ }).count()).toBe(3);
    },
  );

  test("has a request with a password masked, and does not send it again", async () => {
    const body = { user: { login: client, password: "not this one" } };
    await own.request("POST", "/api/v1/users/sign_in", { body });
    const watched = await openDesk("requests");
    await openLink(watched.page, /sign_in/);
    const story = watched.page.getByRole("article", { name: "Story of the request" });
    await story.getByText("(masked)").first().waitFor();
    expect(await story.innerText()).not.toContain("not this one");
    expect(await story.getByRole("button", { name: "Send again" }).isDisabled()).toBe(true);
    expectQuiet(watched);
  });

  testView("shows a mail as it looks with its pin, and a push as a phone shows it", "inbox", async (page) => {
    await page.getByRole("searchbox").fill("martin");
    await openLink(page, /Martin Sorley/);
    const pin = await page.getByLabel("Pin", { exact: true }).innerText();
    expect(pin).toMatch(/^\d{6}$/);
    await page.getByRole("button", { name: "Copy pin" }).click();
    expect(await clipboardOf(page)).toBe(pin);
    const frame = page.locator("iframe");
    expect(await frame.getAttribute("sandbox")).toBe("");
    await frame.contentFrame().getByText(pin).waitFor();
    await page.getByRole("searchbox").fill("dana");
    await openLink(page, /Dana Whitfield/);
    await page.locator(".notification").getByText("A timesheet was paid").waitFor();
  });

  testView("shows what went out to other systems among the messages", "inbox", async (page) => {
    await page.getByRole("searchbox").fill("timesheet.paid");
    await openLink(page, /Event/);
    const event = page.getByRole("article", { name: /^Event to/ });
    await event.getByText('"type": "timesheet.paid"').waitFor();
  });

  testView("says what to use where it has no view", "data/timesheet", async (page) => {
    await page.getByText("npm run -s local -- --help").waitFor();
  });

  testView("is used by keyboard alone", "people", async (page) => {
    const tabTo = async (selector: string) => {
      await page.locator(selector).first().waitFor();
      for (let presses = 0; presses < 30; presses += 1) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
      }
      throw new Error(`${selector} is not reached`);
    };
    await tabTo('nav a[href="#/requests"]');
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
    await tabTo('input[type="search"]');
    await page.keyboard.type("bulk_update");
    await tabTo("a.row");
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "Story of the request" }).waitFor();
    const focused = () => page.evaluate<string>("document.activeElement.getAttribute('href') ?? ''");
    await page.keyboard.press("j");
    const second = await focused();
    expect(second).toMatch(/^#\/requests\/./);
    await page.keyboard.press("k");
    expect(await focused()).not.toBe(second);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "Story of the request" }).getByText(second.slice(11)).first().waitFor();
    await page.keyboard.press("c");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await clipboardOf(page)).toMatch(/^curl /);
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.type")).toBe("search");
  });

  test("narrows requests by person, status and operation", async () => {
    await own.request("PATCH", "/api/v1/finance/timesheets/bulk_update", { role: "driver", body: {} });
    const { page } = await openDesk("requests");
    const rows = page.locator("a.row");
    const choose = (label: string, option: string) => page.getByLabel(label, { exact: true }).selectOption(option);
    await choose("Status", "refused");
    await choose("Operation", "bulk-update-timesheets");
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringMatching(/bulk_update.*Dana Whitfield.*403/s)]);
    await choose("Status", "");
    await choose("Person", "Owen Pryce");
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    for (const text of await rows.allInnerTexts()) expect(text).toMatch(/bulk_update.*Owen Pryce.*200/s);
    await choose("Operation", "request-password-reset");
    await choose("Person", "not signed in");
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringMatching(/not signed in/)]);
  });

  testView("begins with the newest story: a payment has pushes, and is undone", "", async (page) => {
    const story = page.getByRole("article", { name: "Story of the request" });
    await story.waitFor();
    expect(await page.getByRole("button", { name: "Pay five timesheets" }).count()).toBe(0);
    const pending = "/api/v1/finance/timesheets?by_state=pending&per_page=5";
    const { timesheets } = (await own.request("GET", pending, { role: "operator" })).body;
    const timesheet_ids = timesheets.map(({ id }: { id: number }) => id);
    const body = { timesheet: { timesheet_ids, state: "paid" } };
    await own.request("PATCH", "/api/v1/finance/timesheets/bulk_update", { role: "operator", body });
    await story.getByRole("heading", { name: "Owen Pryce paid 5 timesheets" }).waitFor();
    for (const text of [/^Push to /, /^No push: .* no device$/]) await story.getByText(text).first().waitFor();
    await page.getByRole("button", { name: "Copy change id" }).click();
    const change = await clipboardOf(page);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "Owen Pryce undid a change of 5 timesheets" }).waitFor();
    await page.getByRole("article").getByText(`/changes/${change}/undo`).waitFor();
  });

  test("offers no undo of a change that took a passcode", async () => {
    const role = "operator of company 3";
    const [{ id }] = (await own.request("GET", "/api/v1/finance/timesheets?by_state=pending", { role })).body
      .timesheets;
    const body = { timesheet: { timesheet_ids: [id], state: "paid", passcode: demoPasscode } };
    const paid = await own.request("PATCH", "/api/v1/finance/timesheets/bulk_update", { role, body });
    expect(paid.status).toBe(200);
    const watched = await openDesk("");
    await watched.page.getByRole("heading", { name: "Priya Patel paid 1 timesheet" }).waitFor();
    await watched.page.getByRole("button", { name: "Copy change id" }).waitFor();
    expect(await watched.page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    expectQuiet(watched);
  });

  test.each<[string, Reader]>([
    ["in light", { colorScheme: "light" }],
    ["in dark, at 390 pixels", { colorScheme: "dark", width: 390 }],
  ])("keeps nobody out %s, and fits", async (_, reader) => {
    const message = (await readDesk("inbox")).find(({ channel }) => channel === "email");
    const [row] = await readDesk("requests");
    const views = ["people", "requests", `requests/${row?.id}`, "inbox", `inbox/${message?.id}`, "data"];
    const watched = await openDesk("people", reader);
    for (const view of views) {
      await watched.page.goto(`${own.machine.baseUrl}/_local/#/${view}`);
      await expect.poll(() => watched.page.getByText("Loading …").count(), { timeout: 60_000 }).toBe(0);
      expect([view, await findBarriers(watched.page)]).toEqual([view, []]);
      const overflow = await watched.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      expect([view, overflow]).toEqual([view, 0]);
      expect([view, await watched.page.evaluate(cutOffCards)]).toEqual([view, []]);
    }
    expectQuiet(watched);
  });
});

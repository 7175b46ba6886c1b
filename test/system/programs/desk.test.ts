import { readFileSync } from "node:fs";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type MachineFile, machineFile } from "../../../infra/local/local-aws.ts";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { queueUrl } from "../../../infra/runtime/aws/sqs.ts";
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
    await vi.waitFor(async () => expect(await readDesk("inbox")).toHaveLength(at + 1), {
      timeout: 15_000,
      interval: 300,
    });
  }
  await request("POST", "/api/v1/users/password", { body: { user: { login: client } } });
  await openInboxes([`${own.machine.baseUrl}/_local/inbox`]).messageTo(client);
}, 150_000);

async function readDesk(path: string): Promise<{ id: string }[]> {
  return (await fetch(`${own.machine.baseUrl}/_local/desk/${path}`)).json() as Promise<{ id: string }[]>;
}

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

  test("shows records with their versions, sends dead letters again, runs schedules and resets limits", async () => {
    const { stack, environment } = JSON.parse(readFileSync(machineFile(directory.path), "utf8")) as MachineFile;
    const endpoint = environment.AWS_ENDPOINT_URL_SQS ?? "";
    const sqs = new SQSClient({ endpoint, region: environment.AWS_REGION ?? "", credentials: localCredentials });
    const dead = stack.queues.find(({ name }) => name.startsWith("PushesDeadLetters"))?.name ?? "";
    const MessageBody = JSON.stringify({ userId: 5, notificationId: 1 });
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(endpoint, dead), MessageBody }));
    sqs.destroy();

    const watched = await openDesk("data/queues");
    const { page } = watched;
    const pushes = page.getByRole("listitem").filter({ hasText: "1 failed" }).filter({ hasText: "Pushes" }).last();
    await pushes.getByRole("button", { name: "Redrive" }).click();
    await page.getByRole("button", { name: "1 sent again" }).waitFor();
    await page.getByRole("link", { name: "Stream" }).click();
    await expect.poll(() => page.getByText("up to date").count(), { timeout: 15_000 }).toBe(2);
    await page.getByRole("link", { name: /^Companies/ }).click();
    await page.getByText("Harbour Logistics Ltd", { exact: true }).click();
    await page.getByText('"Harbour Logistics Ltd"').waitFor();
    await page.getByRole("link", { name: "Schedules" }).click();
    await page.getByRole("listitem").filter({ hasText: "mark-overdue" }).getByRole("button").click();
    await page.getByRole("button", { name: "It ran" }).waitFor();
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByRole("button", { name: /^[1-9]\d* counts forgotten$/ }).waitFor();
    expectQuiet(watched);
  });

  test("shows what happened to a record, in dark at 390 pixels", async () => {
    const watched = await openDesk("data/timesheet", { colorScheme: "dark", width: 390 });
    const { page } = watched;
    const record = page.getByRole("listitem").filter({ hasText: /id 2(?!\d)/ });
    await page.getByRole("searchbox").fill("dana timesheet#2");
    await record.getByText("Dana Whitfield ·").click();
    await record.getByText("Changes").click();
    const changes = record.getByRole("list", { name: "Changes" });
    await changes.getByText("by Owen Pryce · bulk-update-timesheets").first().waitFor();
    expect(await changes.locator("del").first().innerText()).toBe('"pending"');
    expect(await changes.locator("ins").first().innerText()).toBe('"paid"');
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await changes.getByRole("link", { name: "request" }).first().click();
    await page.getByRole("article", { name: "Story of the request" }).waitFor();
    expectQuiet(watched);
  });

  testView("sends an event, and shows what follows from it and what went out", "events", async (page) => {
    await page.getByLabel("Sample").selectOption("A chat message");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Sent" }).waitFor();
    await page.getByRole("link", { name: "See what follows" }).click();
    await page.getByRole("link", { name: /Notification from chat\.example.*processed/ }).click();
    await page.locator(".layers strong", { hasText: "deliver-notifications" }).first().waitFor();
    await page.locator('nav a[href="#/events"]').click();
    await page.getByLabel("What went out").getByText("notification.created").first().waitFor();
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

  testView("begins with what is going on: a payment has a story and pushes, and is undone", "home", async (page) => {
    await page.getByRole("button", { name: "Pay five timesheets as Owen Pryce" }).click();
    const story = page.getByLabel("The last story");
    await story.getByRole("heading", { name: "Owen Pryce paid 5 timesheets" }).waitFor();
    await story
      .getByText(/^Push to /)
      .first()
      .waitFor();
    await story
      .getByText(/^No push: .* no device$/)
      .first()
      .waitFor();
    await page.getByLabel("New messages").getByText("A timesheet was paid").first().waitFor();
    await story.getByRole("link", { name: "Open it" }).click();
    await page.getByRole("button", { name: "Copy change id" }).click();
    const change = await clipboardOf(page);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "Owen Pryce undid a change of 5 timesheets" }).waitFor();
    await page.getByRole("article").getByText(`/changes/${change}/undo`).waitFor();
  });

  test.each<[string, Reader]>([
    ["in light", { colorScheme: "light" }],
    ["in dark, at 390 pixels", { colorScheme: "dark", width: 390 }],
  ])("keeps nobody out %s, and fits", async (_, reader) => {
    const [message] = await readDesk("inbox");
    const [row] = await readDesk("requests");
    const views = ["home", "people", "requests", `requests/${row?.id}`, "inbox", `inbox/${message?.id}`, "events"];
    const watched = await openDesk("people", reader);
    for (const view of [...views, "data", "data/queues", "data/stream", "data/schedules", "data/user"]) {
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

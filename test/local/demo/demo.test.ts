import { hash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { demoDevices, demoLines, demoUsers, loadDemo } from "../../../infra/local/demo/demo.ts";
import { demoPasscode } from "../../../infra/local/demo/demo-people.ts";
import { invoiceStates } from "../../../shared/contract/finance.ts";
import { roles } from "../../../shared/contract/operation.ts";
import { findDevices } from "../../../shared/notifications/devices.ts";
import { findUserOfLogin } from "../../../shared/people/shown-user.ts";
import { useService } from "../../support/service/service.ts";

type Line = Record<string, unknown>;

const now = new Date("2026-05-10T12:00:00.000Z");
const today = "2026-05-10";
const lines = demoLines(now) as Line[];
const of = (type: string) => lines.filter((line) => line.type === type);

useService();

let loaded = 0;
beforeAll(async () => {
  ({ loaded } = await loadDemo(now));
});

test("the demo data is large enough to page through, with every role, type and state", () => {
  const least = { company: 3, user: 40, timesheet: 200, invoice: 300, job: 60, notification: 100 };
  for (const [type, count] of Object.entries(least)) expect(of(type).length).toBeGreaterThanOrEqual(count);
  expect(new Set(of("user").map(({ role }) => role))).toEqual(new Set(roles));
  expect(new Set(of("notification").map(({ record_type }) => record_type))).toEqual(
    new Set(["Job", "Timesheet", "Invoice", "Chat"]),
  );
  for (const { id } of of("company")) {
    const states = of("invoice").filter(({ company_id }) => company_id === id);
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(invoiceStates));
  }
  expect(loaded).toBe(lines.length);
});

test("some drivers have a phone alone, some an e-mail too", () => {
  const drivers = of("user").filter(({ role }) => role === "driver");
  expect(drivers.every(({ phone_number }) => phone_number)).toBe(true);
  expect(new Set(drivers.map(({ email }) => Boolean(email)))).toEqual(new Set([true, false]));
});

test("the demo data of a day are those that were looked at and found good: new ones have another digest", () => {
  const digest = hash("sha256", JSON.stringify([demoLines(now), demoDevices]));
  const advice =
    "The demo data changed. Look at them (npm start -- --fresh). If they are good, put the received digest into this test, " +
    "and renew the recorded answers (npm run docs -- --examples)";
  expect(digest, advice).toBe("c2e8ca963582edd91b2d0fa14cdaaa7343366083c87eb3429d97d036cd5a4ee4");
});

test("invoices span two years and are due after 30 days, and their states agree with that", () => {
  const dates = of("invoice").map(({ issued_date }) => String(issued_date));
  expect(dates.toSorted()[0]).toMatch(/^2024-0[56]/);
  for (const { state, due_date, issued_date } of of("invoice")) {
    expect(Date.parse(String(due_date)) - Date.parse(String(issued_date))).toBe(30 * 86_400_000);
    if (state !== "paid") expect(state).toBe(String(due_date) < today ? "overdue" : "pending");
  }
});

test("nothing in the demo data lies in the future", () => {
  const times = lines.flatMap(({ created_at, published_at, read_at, date }) => [
    created_at,
    published_at,
    read_at,
    date,
  ]);
  for (const time of times) if (time) expect(String(time) <= now.toISOString()).toBe(true);
});

test("D39: what a user is notified of is a record that the user can open, and is called what the record is", () => {
  const users = new Map(of("user").map((user) => [user.id, user]));
  const about = of("notification").filter(({ record_type }) => record_type !== "Chat");
  expect(about.length).toBeGreaterThan(50);
  for (const { user_id, record_type, record_id, params } of about) {
    const { role, profile_id, financial_company_id } = users.get(user_id) ?? {};
    const record = of(String(record_type).toLowerCase()).find(({ id }) => id === record_id);
    const { driver, company_id } = record as { driver?: { profile_id: number }; company_id: number };
    const isOpen = role === "driver" ? driver?.profile_id === profile_id : company_id === financial_company_id;
    expect(role === "admin" || isOpen).toBe(true);
    const { type: _, ...names } = JSON.parse(JSON.stringify(params));
    expect(Object.keys(names)).toHaveLength(1);
    expect(record).toMatchObject(names);
  }
});

test("what a user is notified of fits the record's state and dates", () => {
  for (const { created_at, record_type, record_id, params } of of("notification")) {
    if (record_type === "Chat") continue;
    const { type } = params as { type: string };
    const record = of(String(record_type).toLowerCase()).find(({ id }) => id === record_id) ?? {};
    const { state, date, issued_date, published_at, due_date } = record;
    if (["paid", "overdue", "pending"].includes(type)) expect(state).toBe(type);
    const earliest = type === "overdue" ? due_date : (date ?? issued_date ?? published_at);
    expect(String(created_at) >= String(earliest)).toBe(true);
    if (type === "issued") expect(String(created_at).slice(0, 10)).toBe(issued_date);
    if (type === "published") expect(created_at).toBe(published_at);
  }
});

test("the named driver has two timesheets to pay, and one named operator has the passcode that is said", () => {
  const pending = of("timesheet").filter(({ driver, state }) => {
    return (driver as { id: number }).id === demoUsers.driver.id && state === "pending";
  });
  expect(pending).toHaveLength(2);
  const withPasscode = of("user").filter(({ passcode }) => passcode !== undefined);
  expect(withPasscode).toMatchObject([{ id: demoUsers.operatorC.id, role: "operator", passcode: demoPasscode }]);
});

test("nobody outside can be reached: reserved domains and numbers kept for fiction", () => {
  for (const { email, phone_number } of of("user")) {
    if (email) expect(email).toMatch(/\.example$/);
    if (phone_number) expect(phone_number).toMatch(/^\+447700900\d{3}$/);
  }
});

test.each(Object.entries(demoUsers))("%s signs in with the login that is said", async (_, user) => {
  const { id, role, company_id, login } = user;
  expect(await findUserOfLogin(login)).toMatchObject({ id, role, financial_company_id: company_id });
});

test("in each company some drivers have a phone, and some have none", async () => {
  const owners = new Set(demoDevices.map(({ userId }) => userId));
  for (const { id } of of("company")) {
    const drivers = of("user").filter((user) => user.role === "driver" && user.financial_company_id === id);
    expect(new Set(drivers.map((driver) => owners.has(Number(driver.id))))).toEqual(new Set([true, false]));
  }
  expect(owners.has(demoUsers.driver.id)).toBe(false);
  for (const { userId, token } of demoDevices) expect(await findDevices(userId)).toMatchObject([{ token }]);
});

test("loading the demo data again changes nothing", async () => {
  const before = await findUserOfLogin(demoUsers.driver.login);
  expect(await loadDemo(now)).toEqual({ loaded });
  expect(await findUserOfLogin(demoUsers.driver.login)).toEqual(before);
});

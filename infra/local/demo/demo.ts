import { type DeviceToken, saveDeviceToken } from "../../../shared/notifications/devices.ts";
import { verifyPassword } from "../../../shared/people/passwords.ts";
import { findAccountWith } from "../../../shared/people/users.ts";
import { importRecords } from "../../tools/import/import-records.ts";
import type { LineError } from "../../tools/import/line-errors.ts";
import { demoFirstNotifications, demoJobs, demoNotifications } from "./demo-activity.ts";
import { demoInvoices, demoTimesheets } from "./demo-finance.ts";
import { demoCompanies, demoDrivers, demoPassword, demoPeople } from "./demo-people.ts";

/** The demo users that samples and tests name, with the login of each. */
export const demoUsers = {
  admin: { id: 1, role: "admin", company_id: null, login: "admin@workforce.example" },
  operatorA: { id: 2, role: "operator", company_id: 1, login: "operator@harbour-logistics.example" },
  operatorB: { id: 3, role: "operator", company_id: 2, login: "operator@northgate.example" },
  client: { id: 4, role: "client", company_id: 1, login: "client@harbour-logistics.example" },
  driver: { id: 5, role: "driver", company_id: 1, login: "driver@workforce.example" },
  operatorC: { id: 11, role: "operator", company_id: 3, login: "operator@peak-haulage.example" },
} as const;

/** The named demo users, and whether the demo password still works, and a passcode is asked, for each. */
export function findDemoPeople() {
  return Promise.all(
    Object.values(demoUsers).map(async (user) => {
      const account = await findAccountWith("password", user.id);
      const hasDemoPassword = account?.hash !== undefined && (await verifyPassword(demoPassword, account.hash));
      const hasPasscode = (await findAccountWith("passcode", user.id))?.hash !== undefined;
      return { ...user, hasDemoPassword, hasPasscode };
    }),
  );
}

/**
 * Imports the demo data into the table that the settings name. All dates are relative to the day of `now` (UTC), so
 * that states and due dates agree. Loading it again on the same day changes nothing.
 */
export async function loadDemo(now = new Date()): Promise<{ loaded: number }> {
  const errors: LineError[] = [];
  const onError = (error: LineError) => void errors.push(error);
  const lines = demoLines(now);
  await Promise.all(demoDevices.map(({ userId, token }) => saveDeviceToken(userId, deviceOf(token), userId)));
  const { failed } = await importRecords({ source: asStream(lines), now, onError });
  if (failed > 0) throw new Error(`The demo data does not import: ${JSON.stringify(errors[0])}`);
  return { loaded: lines.length };
}

/**
 * A phone for two of three drivers, so that a payment shows both a push and the want of one. The named driver's phones are left
 * to those who sign in as that driver.
 */
export const demoDevices = demoDrivers
  .filter(({ id }) => id !== demoUsers.driver.id && id % 3 !== 0)
  .map(({ id }) => ({ userId: id, token: `demo-phone-${id}` }));

function deviceOf(token: string): DeviceToken {
  return { token, platform: "android", pushService: "fcm" };
}

/** The demo data as import lines, companies and users first. */
export function demoLines(now: Date): readonly object[] {
  const today = now.toISOString().slice(0, 10);
  const [timesheets, invoices, jobs] = [demoTimesheets(today), demoInvoices(today), demoJobs(today)];
  return [
    ...demoCompanies.map(({ id, name }) => ({ type: "company", id, name })),
    ...demoPeople.map((user) => ({ type: "user", ...user })),
    ...timesheets,
    ...invoices,
    ...jobs,
    ...demoFirstNotifications(today),
    ...demoNotifications(today, { Timesheet: timesheets, Invoice: invoices, Job: jobs }),
  ];
}

async function* asStream(lines: readonly object[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
}

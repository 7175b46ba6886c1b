import { createHash } from "node:crypto";
import { addDays, atMinute, chanceOf } from "./demo-chance.ts";
import { type DemoCompany, demoCompanies, demoDrivers } from "./demo-people.ts";

const jobTitles = ["HGV Class 1 driver", "HGV Class 2 driver", "Van driver", "Night trunk driver", "Shunter"] as const;

/** 200 timesheets of the last four months, oldest first. Those older than three weeks are paid. */
export function demoTimesheets(today: string): object[] {
  const chance = chanceOf(200);
  return Array.from({ length: 200 }, (_, at) => {
    const id = at + 1;
    const age = Math.floor(((200 - id) * 120) / 200);
    const date = addDays(today, -2 - age);
    // The first two belong to the named driver, because the sample events act in that driver's company; so do two pending ones.
    const isOwnPending = [195, 199].includes(at);
    const drawn = at < 2 ? 0 : chance.between(0, demoDrivers.length - 1);
    const driver = demoDrivers[isOwnPending ? 0 : drawn] ?? demoDrivers[0];
    const company = demoCompanies.find((each) => each.id === driver?.financial_company_id) ?? demoCompanies[0];
    const hours = chance.between(5, 11);
    const start = chance.pick([5, 6, 7, 14, 21]) * 60 + chance.pick([0, 15, 30]);
    const pauseMinutes = hours > 6 ? chance.pick([30, 45]) : 0;
    return {
      type: "timesheet",
      id,
      company_id: company.id,
      company_name: company.name,
      currency: "GBP",
      date,
      driver: {
        id: driver?.id,
        financial_company_id: company.id,
        first_name: driver?.first_name,
        last_name: driver?.last_name,
        profile_id: driver?.profile_id,
        referral_code: `${driver?.last_name
          .replaceAll(/[^A-Za-z]/g, "")
          .slice(0, 4)
          .toUpperCase()}${driver?.id}`,
      },
      job_title: chance.pick(jobTitles),
      state: age > 21 || (chance.percent(20) && !isOwnPending) ? "paid" : "pending",
      timelog: {
        id: 70_000 + id,
        amend_status: chance.percent(90) ? "approved" : "amended",
        breaks: pauseMinutes === 0 ? [] : [pause(90_000 + id, date, start + 240, pauseMinutes)],
        duration: { hours },
        start_at: atMinute(date, start),
        end_at: atMinute(date, start + hours * 60 + pauseMinutes),
      },
      total: pounds(hours * chance.pick([1_320, 1_450, 1_575, 1_810])),
    };
  });
}

/** 300 invoices of the last two years, oldest first and denser towards today, each due 30 days after its issue. */
export function demoInvoices(today: string): object[] {
  const chance = chanceOf(300);
  return Array.from({ length: 300 }, (_, at) => {
    const id = at + 1;
    const company = demoCompanies[at % demoCompanies.length] ?? demoCompanies[0];
    const issued = addDays(today, -1 - Math.floor(719 * ((300 - id) / 299) ** 2));
    const due = addDays(issued, 30);
    const hours = chance.between(80, 900);
    const late = addDays(due, 45) < today ? 3 : 55;
    const unpaid = due < today ? "overdue" : "pending";
    return {
      type: "invoice",
      id,
      company_id: company.id,
      company_name: company.name,
      created_at: atMinute(issued, chance.between(8 * 60, 17 * 60)),
      currency: company.id === 3 && chance.percent(20) ? "EUR" : "GBP",
      due_date: due,
      from: addDays(issued, -31),
      to: addDays(issued, -1),
      issued_date: issued,
      number: invoiceNumber(company, id, issued),
      state: chance.percent(unpaid === "overdue" ? late : 80) ? unpaid : "paid",
      total: pounds(hours * chance.pick([1_690, 1_845, 2_120])),
      uuid: uuidOf(`invoice ${id}`),
      vat_percentage: chance.percent(95) ? "20.0" : "0.0",
    };
  });
}

function invoiceNumber({ id: companyId }: DemoCompany, id: number, issued: string): string {
  const [year = "", month = ""] = issued.split("-");
  const formats = [
    `INV-${year}-${String(id).padStart(5, "0")}`,
    `NGD/${String(id).padStart(4, "0")}`,
    `PH${year.slice(2)}${month}.${id}`,
    `FF ${year}/${month}/${String(id).padStart(3, "0")}`,
  ];
  return formats[companyId - 1] ?? String(id);
}

function pause(id: number, date: string, start: number, minutes: number): object {
  const duration = { hours: 0, minutes };
  return { id, start_at: atMinute(date, start), end_at: atMinute(date, start + minutes), duration };
}

function pounds(pence: number): string {
  return (pence / 100).toFixed(2);
}

function uuidOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

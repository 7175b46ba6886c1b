import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { expect, test } from "vitest";
import { readColumnMap } from "../../../infra/tools/import/column-map.ts";
import { csvReader } from "../../../infra/tools/import/csv-lines.ts";
import { completeRecords } from "../../../shared/contract/records.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const folder = newFolder();

const windows = (...lines: string[]) =>
  Buffer.from(lines.map((line) => `${line}\r\n`.replaceAll("€", "\x80")).join(""), "latin1");
const utf8 = (...lines: string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(""));
const utf16 = (...lines: string[]) => Buffer.from(`\uFEFF${lines.map((line) => `${line}\r\n`).join("")}`, "utf16le");

const uuid = "5f6b0c1e-8a34-4b0f-9d7e-1c2a3b4d5e6f";
const invoice = { company_id: 900, company_name: "Quayside Stores", currency: "EUR", vat_percentage: "19", uuid };
const period = { from: "2026-10-01", to: "2026-10-31" };
const person = {
  "driver.financial_company_id": 900,
  "driver.profile_id": 90513,
  "driver.referral_code": "REED13",
  "driver.first_name": "Dana",
  "driver.last_name": "Reed",
};
const sheet = {
  ...person,
  company_id: 900,
  company_name: "Quayside Stores",
  state: "pending",
  payment_state: "pending",
  "timelog.amend_status": "approved",
  "timelog.breaks": [],
};
const staff = { "driver.id": { "Dana Reed": "9013", "dana@example.com": "9013" } };

interface Table {
  readonly type: "invoice" | "timesheet";
  readonly bytes: Buffer;
  readonly map: object;
  readonly records: readonly object[];
}

const tables: Record<string, Table> = {
  "German Excel, invoices in euros": {
    type: "invoice",
    bytes: windows(
      "Vorgang;Beleg;Kunde;Status;Betrag;Datum;Fällig;von;bis",
      "91001;R-32;Käthe Böhm;offen;1.250,00 €;03.11.2026;17.11.2026;01.10.2026;31.10.2026",
      '91002;R-33;"Böhm; Söhne";bezahlt;-12,50 €;29.02.2028;01.03.2028;01.02.2028;29.02.2028',
      "91003;R-34;Böhm;offen;1.000.000,05 €;31.12.2026;14.01.2027;01.12.2026;31.12.2026",
      ";;;;;;;;",
    ),
    map: {
      columns: {
        Vorgang: "id",
        Beleg: "number",
        Status: "state",
        Betrag: "total",
        Datum: ["issued_date", "created_at"],
        Fällig: "due_date",
        von: "from",
        bis: "to",
      },
      constants: invoice,
      values: { state: { offen: "pending", bezahlt: "paid" } },
      dates: "DD.MM.YYYY",
      decimals: ",",
      separator: ";",
      encoding: "windows-1252",
    },
    records: [
      { id: 91001, total: "1250.00", issued_date: "2026-11-03", due_date: "2026-11-17", from: "2026-10-01" },
      { id: 91002, total: "-12.50", issued_date: "2028-02-29", created_at: "2028-02-29T00:00:00.000Z", state: "paid" },
      { id: 91003, total: "1000000.05", due_date: "2027-01-14" },
    ],
  },
  "an ERP's table of timesheets": {
    type: "timesheet",
    bytes: windows(
      "Sheet,Day,Task,Pay,Start,End,Hours,Staff,Remark",
      '92001,1/7/2026,"Loader, nights","1,164.00",01/07/2026 20:00,02/07/2026 04:00,8,9013,"12"" pallets"',
      "92002,25/10/2026,Loader,-£80.50,25/10/2026 00:30,25/10/2026 04:30,5,9013",
    ),
    map: {
      columns: {
        Sheet: ["id", "timelog.id"],
        Day: "date",
        Task: "job_title",
        Pay: "total",
        Start: "timelog.start_at",
        End: "timelog.end_at",
        Hours: "timelog.duration.hours",
        Staff: "driver.id",
      },
      constants: { ...sheet, currency: "GBP" },
      dates: { date: "D/M/YYYY", "timelog.start_at": "DD/MM/YYYY HH:mm", "timelog.end_at": "DD/MM/YYYY HH:mm" },
      timeZone: "Europe/London",
      decimals: ".",
      encoding: "windows-1252",
    },
    records: [
      {
        date: "2026-07-01",
        total: "1164.00",
        job_title: "Loader, nights",
        timelog: { start_at: "2026-07-01T19:00:00.000Z", end_at: "2026-07-02T03:00:00.000Z", duration: { hours: 8 } },
      },
      { total: "-80.50", timelog: { start_at: "2026-10-24T23:30:00.000Z", end_at: "2026-10-25T04:30:00.000Z" } },
    ],
  },
  "Clockify, detailed, with a column of ids": {
    type: "timesheet",
    bytes: utf8(
      '"Id","Project","Description","User","Email","Billable","Start Date","Start Time","End Date","End Time","Duration (h)","Duration (decimal)","Billable Amount (USD)"',
      '"94001","Dock","Loader","Dana Reed","dana@example.com","Yes","07/04/2026","12:30:00 AM","07/04/2026","12:45:00 PM","12:15:00","12.25","1,225.00"',
    ),
    map: {
      columns: {
        Id: ["id", "timelog.id"],
        User: "driver.id",
        Description: "job_title",
        "Start Date": "date",
        "Duration (decimal)": "timelog.duration",
        "Billable Amount (USD)": "total",
      },
      joined: { "timelog.start_at": ["Start Date", "Start Time"], "timelog.end_at": ["End Date", "End Time"] },
      constants: { ...sheet, currency: "USD" },
      values: staff,
      dates: {
        date: "MM/DD/YYYY",
        "timelog.start_at": "MM/DD/YYYY hh:mm:ss A",
        "timelog.end_at": "MM/DD/YYYY hh:mm:ss A",
      },
      timeZone: "America/New_York",
      decimals: ".",
    },
    records: [
      {
        total: "1225.00",
        timelog: {
          start_at: "2026-07-04T04:30:00.000Z",
          end_at: "2026-07-04T16:45:00.000Z",
          duration: { hours: 12, minutes: 15 },
        },
      },
    ],
  },
  'Swiss Excel, "Unicode text"': {
    type: "invoice",
    bytes: utf16(
      "Nr\tBeleg\tBetrag\tDatum\tFällig\tBemerkung",
      "99001\tR-1\t1’250.05\t03.11.2026\t17.11.2026",
      '99002\tR-2\t"CHF 12\'000.00"\t04.11.2026\t18.11.2026\t"12"" Rohr"',
    ),
    map: {
      columns: { Nr: "id", Beleg: "number", Betrag: "total", Datum: ["issued_date", "created_at"], Fällig: "due_date" },
      constants: { ...invoice, ...period, currency: "CHF", state: "pending" },
      dates: "DD.MM.YYYY",
      decimals: ".",
      separator: "\t",
      encoding: "utf-16le",
    },
    records: [{ total: "1250.05", issued_date: "2026-11-03" }, { total: "12000.00" }],
  },
  "SAP-like, the minus behind the amount, a line of its separator": {
    type: "invoice",
    bytes: windows(
      "sep=;",
      "Beleg;Referenz;Betrag;Belegdatum;Fällig;Text",
      "99101;R-1; 1.250,00-;2026.11.03;2026.11.17",
      "99102;R-2; 7,05 ;2026.11.30;2026.12.01;x",
    ),
    map: {
      columns: {
        Beleg: "id",
        Referenz: "number",
        Betrag: "total",
        Belegdatum: ["issued_date", "created_at"],
        Fällig: "due_date",
      },
      constants: { ...invoice, ...period, state: "pending" },
      dates: "YYYY.MM.DD",
      decimals: ",",
      separator: ";",
      encoding: "windows-1252",
    },
    records: [
      { total: "-1250.00", issued_date: "2026-11-03" },
      { total: "7.05", due_date: "2026-12-01" },
    ],
  },
};

test.each(Object.entries(tables))("%s: each amount to the cent, each date to the day", async (_, table) => {
  const { type, bytes, map, records } = table;
  const file = join(folder, "map.json");
  writeFileSync(file, JSON.stringify(map));
  async function* inPieces() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  const found: unknown[] = [];
  for await (const { given } of csvReader(type, readColumnMap(file, type))(inPieces())) found.push(given);
  expect(found).toMatchObject(records);
  expect(found.map((given) => v.safeParse(completeRecords[type], given).issues)).toEqual(found.map(() => undefined));
});

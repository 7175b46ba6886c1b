import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { expect, test } from "vitest";
import { readColumnMap } from "../../../infra/tools/import/column-map.ts";
import { csvReader } from "../../../infra/tools/import/csv-lines.ts";
import { lineErrors } from "../../../infra/tools/import/line-errors.ts";
import { completeRecords, type RecordType } from "../../../shared/contract/records.ts";
import { Refusal } from "../../../shared/contract/refusals.ts";
import { decimal } from "../../../shared/contract/values.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { readCsv } from "./read-csv.ts";

const folder = newFolder();

const mapOf = (map: object | string, type: RecordType = "invoice") => {
  const file = join(folder, "map.json");
  writeFileSync(file, typeof map === "string" ? map : JSON.stringify(map));
  return readColumnMap(file, type);
};
const map = {
  columns: { Nr: "id", Beleg: "number", Status: "state", Betrag: "total", Datum: ["issued_date", "created_at"] },
  constants: { currency: "EUR", company_id: 4 },
  values: { state: { bezahlt: "paid" } },
  dates: "D.M.YYYY",
  decimals: ",",
  separator: ";",
};
const header = "Beleg;Nr;Betrag;Kunde;Status;Datum\n";
const constants = { type: "invoice", currency: "EUR", company_id: 4 };

test.each<[string, string, object]>([
  [
    "names columns, constants, words, dates and amounts",
    "=R-1; 7 ;1.250,00;Jane Doe;bezahlt;3.11.2026",
    {
      id: 7,
      number: "=R-1",
      state: "paid",
      total: "1250.00",
      issued_date: "2026-11-03",
      created_at: "2026-11-03T00:00:00.000Z",
    },
  ],
  ["takes a negative amount and leaves empty cells out", "+44;8;-12,50;;;", { id: 8, number: "+44", total: "-12.50" }],
  [
    "leaves a cell of another format as it is",
    "R;9;12 EUR;;offen;2026-11-03",
    {
      id: 9,
      number: "R",
      state: "offen",
      total: "12 EUR",
      issued_date: "2026-11-03",
      created_at: "2026-11-03",
    },
  ],
  ["leaves an apostrophe that no export set", "'=R;9;;;;", { id: 9, number: "'=R" }],
])("%s", async (_, row, expected) => {
  expect(await readCsv(csvReader("invoice", mapOf(map)), `${header}${row}\n`)).toEqual([
    [2, { ...constants, ...expected }],
  ]);
});

test("fills fields within a field, reads a time of day, points and Windows' letters", async () => {
  const timesheets = mapOf(
    {
      columns: { A: "driver.first_name", B: "timelog.start_at", C: "total" },
      constants: { "driver.last_name": "Quill" },
      dates: "MM/DD/YYYY H:mm",
      decimals: ".",
      encoding: "windows-1252",
    },
    "timesheet",
  );
  const file = Buffer.from('A,B,C\nZo\xeb,11/03/2026 7:05,"1,250.5"\n', "latin1");
  expect(await readCsv(csvReader("timesheet", timesheets), file)).toEqual([
    [
      2,
      {
        type: "timesheet",
        driver: { first_name: "Zoë", last_name: "Quill" },
        timelog: { start_at: "2026-11-03T07:05:00.000Z" },
        total: "1250.5",
      },
    ],
  ]);
});

test.each<[string, string, string | undefined]>([
  [",", "-5,00", "-5.00"],
  [",", "1 250,50", "1250.50"],
  [",", "-5.00", undefined],
  [",", "1250.00", undefined],
  [",", "1.2500,00", undefined],
  [",", "1.250 000,00", undefined],
  [",", "1250.000,00", undefined],
  [".", "-5.00", "-5.00"],
  [".", "1'234'567.8", "1234567.8"],
  [".", "-5,00", undefined],
  [".", "1,250,50", undefined],
  [".", "12,50.00", undefined],
  [".", '"100\n200"', undefined],
  [",", "1\u202f250,50", "1250.50"],
  [",", "\u22121 250,50", "-1250.50"],
])("with the decimal sign %s, %s is %s", async (decimals, cell, amount) => {
  const amounts = mapOf({ columns: { A: "total" }, decimals, separator: ";" });
  const [[, given] = []] = await readCsv(csvReader("invoice", amounts), `A\n${cell}\n`);
  const { issues } = v.safeParse(decimal, (given as { total: string }).total);
  expect(issues ? undefined : (given as { total: string }).total).toBe(amount);
});

test.each<[RecordType, object]>([
  ["invoice", { state: "paid", total: "1250.00", from: "2026-10-01", due_date: "2026-11-17" }],
  [
    "timesheet",
    {
      date: "2026-07-01",
      payment_state: "pending",
      timelog: { start_at: "2026-07-01T07:00:00.000Z", duration: { hours: 8 }, breaks: [] },
      total: "1164.00",
    },
  ],
  ["job", { industries: ["logistics", "storage"], published_at: "2026-06-30T09:00:00.000Z" }],
])("of the README gives a whole %s", async (type, expected) => {
  const readme = readFileSync(join(import.meta.dirname, "../../../infra/tools/README.md"), "utf8");
  const sample = /\.json <<'END'\n(.*?)\nEND\n[^\n]*\.csv <<'END'\n(.*?)END\n.*?--csv (\w+)/gs;
  const [, text = "", table = ""] = [...readme.matchAll(sample)].find((found) => found[3] === type) ?? [];
  const [[line, given] = []] = await readCsv(
    csvReader(type, mapOf(text, type)),
    Buffer.from(table.replace("€", "\x80"), "latin1"),
  );
  expect([line, v.safeParse(completeRecords[type], given).issues]).toEqual([2, undefined]);
  expect(given).toMatchObject(expected);
});

test.each([
  ["Europe/London", "25.10.2026 0:30", "2026-10-24T23:30:00.000Z"],
  ["Europe/London", "25.10.2026 1:30", "2026-10-25T00:30:00.000Z"],
  ["Europe/London", "25.10.2026 2:30", "2026-10-25T02:30:00.000Z"],
  ["America/New_York", "01.11.2026 1:30", "2026-11-01T05:30:00.000Z"],
  ["Asia/Kolkata", "01.01.2026 0:00", "2025-12-31T18:30:00.000Z"],
  ["UTC", "01.01.2026 0:00", "2026-01-01T00:00:00.000Z"],
  ["Europe/London", "29.03.2026 1:30", "29.03.2026 1:30"],
  ["Europe/London", "31.02.2026 9:00", "31.02.2026 9:00"],
  ["Europe/London", "01.13.2026 9:00", "01.13.2026 9:00"],
])("in %s, %s is %s", async (timeZone, cell, moment) => {
  const times = mapOf(
    { columns: { A: ["created_at", "due_date"] }, dates: { created_at: "DD.MM.YYYY H:mm" }, timeZone },
    "invoice",
  );
  const found = await readCsv(csvReader("invoice", times), `A\n${cell}\n`);
  expect(found).toEqual([[2, { type: "invoice", created_at: moment, due_date: cell }]]);
});

test.each<[object | string, string]>([
  ["{", "Cannot read the map"],
  [{ columns: { A: "totl" } }, 'no field of type invoice "totl". Did you mean total?'],
  [{ columns: {}, constants: { driver: 1 } }, 'no field of type invoice "driver"'],
  [{ columns: {}, dates: "yesterday" }, "dates: takes YYYY, MM or M, DD or D"],
  [{ columns: {}, dates: "DD.MM.YY" }, "dates: takes YYYY, MM or M, DD or D"],
  [{ columns: {}, dates: "DD.DD.YYYY" }, "dates: needs a year, a month and a day"],
  [{ columns: {}, dates: "DD.MM.YYYY DD" }, "dates: has a part twice"],
  [{ columns: {}, dates: "HH:mm" }, "dates: needs a year, a month and a day"],
  [{ columns: {}, dates: "DD.MM.YYYY mm" }, "dates: has mm without an hour"],
  [{ columns: {}, dates: "DD.MM.YYYY HH ss" }, "dates: has ss without mm"],
  [{ columns: {}, dates: "DD.MM.YYYY hh:mm" }, "dates: has A without hh or h"],
  [{ columns: {}, dates: "DD.MM.YYYY HH:mm A" }, "dates: has A without hh or h"],
  [{ columns: {}, dates: "YYYY-DD-MM HH:mm" }, "dates: has the day where the dates of the interface"],
  [{ columns: {}, dates: "DMYYYY" }, "dates: does not show where a part of one or two digits ends"],
  [{ columns: {}, dates: { total: "DD.MM.YYYY" } }, "dates.total: the field has no date"],
  [{ columns: { A: "total", B: "total" } }, "total is filled twice"],
  [{ columns: { A: ["total", "total"] } }, "total is filled twice"],
  [{ columns: { A: "total" }, constants: { total: "1" } }, "total is filled twice"],
  [{ columns: { A: "due_date" }, joined: { due_date: ["B", "C"] } }, "due_date is filled twice"],
  [{ columns: {}, joined: { due_date: ["B"] } }, "joined.due_date"],
  [{ columns: {}, joined: { total: ["A", "B"] } }, "joined.total: takes one column"],
  [{ columns: {}, joined: { id: ["A", "B"] } }, "joined.id: takes one column"],
  [{ columns: { A: "number" }, constants: { id: 7 } }, "constants.id: each row needs an id of its own"],
  ['{"columns": {"A": "issued_date", "A": "created_at"}}', "an object has a name twice"],
  ['{"columns": {"A": "state"}, "values": {"state": {"\\"x:": "a", "y": "b", "y": "c"}}}', "has a name twice"],
  ['{"columns": {"__proto__": "id"}}', 'it cannot have the name "__proto__"'],
  [{ columns: {}, dates: { paid_at: "DD" } }, 'no field of type invoice "paid_at"'],
  [{ columns: {}, dates: { due_date: "Y" } }, "dates.due_date: takes YYYY"],
  [{ columns: {}, timeZone: "Europe/Nowhere" }, "timeZone: takes an IANA time zone, such as Europe/London"],
  [{ columns: {}, separators: ";" }, "separators"],
  [{}, "columns"],
])("%j is refused with a sentence", (wrong, said) => {
  expect(() => mapOf(wrong)).toThrow(said);
});

test("gives the fault of a field its column, with the map's own words and forms", async () => {
  async function* source() {
    yield Buffer.from(`${header}R-1;7;12 EUR;Jane Doe;unbekannt;gestern\n`);
  }
  const paths = ["state", "total", "created_at", "number", "currency"];
  const errors = paths.map((path) => ({ pointer: `/${path}`, code: "invalid", detail: "d" }) as const);
  const found: string[] = [];
  for await (const line of csvReader("invoice", mapOf(map))(source())) {
    const refusal = new Refusal("fields_invalid", "x", { errors });
    found.push(...lineErrors(line, refusal).map(({ detail }) => detail));
  }
  expect(found).toEqual([
    "d (column Status: bezahlt)",
    "d (column Betrag: 1250,00)",
    "d (column Datum: D.M.YYYY)",
    "d (column Beleg)",
    "d",
  ]);
});

test("takes words and columns with colons, quotes and no letters for what they are", async () => {
  const words = { state: { '"a": "b"': "paid", ":": "pending" } };
  const reader = csvReader("invoice", mapOf({ columns: { "": "id", 'A": ': "state" }, values: words }));
  expect(await readCsv(reader, ',"A"": "\n1,:\n')).toEqual([[2, { type: "invoice", id: 1, state: "pending" }]]);
});

test("names a column that the table does not have", async () => {
  await expect(readCsv(csvReader("invoice", mapOf(map)), "Nr;Belege\n")).rejects.toThrow(
    'There is no column "Beleg". Did you mean Belege?',
  );
});

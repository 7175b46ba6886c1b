import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { csvOf } from "../../../infra/tools/csv/tables.ts";
import { readColumnMap } from "../../../infra/tools/import/column-map.ts";
import { csvReader } from "../../../infra/tools/import/csv-lines.ts";
import { maxLineBytes, type RecordReader } from "../../../infra/tools/import/import-lines.ts";
import { lineErrors } from "../../../infra/tools/import/line-errors.ts";
import { completeRecords, type RecordType } from "../../../shared/contract/records.ts";
import { decimal } from "../../../shared/contract/values.ts";
import { Refusal } from "../../../shared/domain/refusal.ts";
import { invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { fc } from "../../support/service/properties.ts";
import { anyLine } from "../export/random-lines.ts";

const folder = newFolder();

const tableOf = (type: "invoice" | "timesheet", ...lines: object[]) => {
  const { header, row } = csvOf(type);
  return header + lines.map((line) => row(JSON.stringify(line))).join("");
};

/** The result of a reader for a file, by the number of its line; a refusal as its field errors. */
async function read(reader: RecordReader, file: string | Buffer): Promise<[number, unknown][]> {
  async function* source() {
    yield Buffer.from(file);
  }
  const found: [number, unknown][] = [];
  for await (const { number, given } of reader(source())) {
    found.push([number, given instanceof Refusal ? given.facts.errors?.[0]?.detail : given]);
  }
  return found;
}

const anyTable = fc
  .constantFrom("invoice" as const, "timesheet" as const)
  .chain((type) => fc.tuple(fc.constant(type), fc.array(anyLine(undefined, [type]), { minLength: 1, maxLength: 3 })));

test("what an export writes as a table, the import reads as the same records", async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, async ([type, lines]) => {
      const found = await read(csvReader(type), tableOf(type, ...lines));
      expect(found.map(([, given]) => given)).toEqual(lines);
    }),
    { numRuns: 200 },
  );
});

/** Text that a spreadsheet takes for a formula, whatever quotes, blanks and format characters are before it. */
const formula = /^["\s\p{Cf}]*[=+\-@\t\r＝＋－＠]/u;

test("whichever separator a spreadsheet splits by, no piece begins with a formula but numbers", () => {
  fc.assert(
    fc.property(anyTable, ([type, lines]) => {
      for (const separator of [/[;\n]/, /[\t\n]/, /[,\n]/, /[|\n]/, /[\r\n]/]) {
        const pieces = tableOf(type, ...lines).split(separator);
        expect(
          pieces.filter((piece) => formula.test(piece.trimEnd()) && !/^-?\d+(\.\d+)?$/.test(piece.trim())),
        ).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});

test.each([
  ["=1+1", "'=1+1"],
  ["+44", "'+44"],
  ["-12.50", "'-12.50"],
  ["@x", "'@x"],
  ["\tx", '"\'\tx"'],
  ["\rx", '"\'\rx"'],
  ["＝1", "'＝1"],
  ["＠x", "'＠x"],
  ["'x", "'x"],
  ["'=x", "''=x"],
  ["a-b = c", "a-b = c"],
  ["a;=1", '"a;\'=1"'],
  ["a;b", '"a;b"'],
  ["a|=1", '"a|\'=1"'],
  ["\u00a0=1", "'\u00a0=1"],
  ["\u200b\ufeff\u3000=1", "'\u200b\ufeff\u3000=1"],
  ["'\u2060-1", "''\u2060-1"],
  ["a\n=1", '"a\n\'=1"'],
  ['a;"=1"', '"a;\'""=1"""'],
  ['a,"b"\r\nc', '"a,""b""\r\nc"'],
])("the text %j is the cell %j, and the total -12.50 a number", (text, cell) => {
  const { header, row } = csvOf("invoice");
  const names = header.trimEnd().split(",");
  const cells = { ...invoiceLine(1, 1), number: text, total: "-12.50" };
  const written = row(JSON.stringify(cells));
  expect(written).toContain(`,${cell},`);
  expect(names.indexOf("total")).toBe(names.indexOf("state") + 1);
  expect(written).toContain(",pending,-12.50,");
});

const columns = "id,state,number";
const broken = "has a double quote that closes a cell before its end: one within quotes is written twice";
const late = "has a double quote that follows a blank at the start of a cell: take the blank away";
describe("rows", () => {
  test.each<[string, string, [number, unknown][]]>([
    [
      "CRLF, LF, blank lines, a byte order mark and no last line end",
      `\uFEFF${columns}\r\n1,paid,A\n\r\n,,\n2,,B`,
      [
        [2, { id: 1, state: "paid", number: "A" }],
        [5, { id: 2, number: "B" }],
      ],
    ],
    [
      "a quoted cell of several lines; the number is that of the first",
      `${columns}\n1,paid,"a ""b""\r\n\n;c"\n2,paid,x\n`,
      [
        [2, { id: 1, state: "paid", number: 'a "b"\r\n\n;c' }],
        [5, { id: 2, state: "paid", number: "x" }],
      ],
    ],
    [
      "a quote within a cell is a letter, text after a quoted one a fault",
      `${columns}\n1,paid,12" pipe\n2,paid,"a"b\n3,paid,"6 inch\n4,"paid",C\n5,paid,"""a"" b"\n6,paid, "D"\n7,paid,\t "D\n`,
      [
        [2, { id: 1, state: "paid", number: '12" pipe' }],
        [3, broken],
        [4, broken],
        [5, { id: 4, state: "paid", number: "C" }],
        [6, { id: 5, state: "paid", number: '"a" b' }],
        [7, late],
        [8, late],
      ],
    ],
    [
      "an id that is no number stays a text, which the import refuses",
      `${columns}\nx7,paid,A`,
      [[2, { id: "x7", state: "paid", number: "A" }]],
    ],
    [
      "a row without its last cells, a longer one, a quote that is not closed, and a row that is cut off",
      `${columns}\n1\n1,paid,A,\n2,paid,"A\n3,paid,B\r\n4,pa`,
      [
        [2, { id: 1 }],
        [3, "has 4 cells; the first line has 3"],
        [4, "has a double quote that opens a cell and is not closed"],
        [5, { id: 3, state: "paid", number: "B" }],
        [6, "has 2 cells; the first line has 3, and no line end follows"],
      ],
    ],
  ])("%s", async (_, file, expected) => {
    const found = await read(csvReader("invoice"), file);
    expect(found).toEqual(
      expected.map(([line, given]) => [line, typeof given === "object" ? { type: "invoice", ...given } : given]),
    );
  });

  test("bytes that are no UTF-8 are a fault of their line", async () => {
    const file = Buffer.concat([Buffer.from(`${columns}\n1,paid,`), Buffer.from([0xe9]), Buffer.from("\n2,paid,B\n")]);
    expect(await read(csvReader("invoice"), file)).toMatchObject([
      [2, "is not UTF-8 text"],
      [3, { id: 2 }],
    ]);
  });

  test("after a quote that is not closed, and after a row of more than 256 KiB, all rows are read", async () => {
    const long = "x".repeat(maxLineBytes);
    const last = "B".repeat(1_000);
    const rows = [`1,paid,"${long}\n"`, `2,paid,${long}`, `3,paid,"A`, ...Array<string>(6_000).fill(`4,paid,${last}`)];
    const found = await read(csvReader("invoice"), `${columns}\n${rows.join("\n")}\n`);
    expect(found.slice(0, 4)).toEqual([
      [2, "has more than 262144 bytes"],
      [4, "has more than 262144 bytes"],
      [5, "has a double quote that opens a cell and is not closed"],
      [6, { type: "invoice", id: 4, state: "paid", number: last }],
    ]);
    expect([found.length, found.at(-1)?.[0]]).toEqual([6_003, 6_005]);
  });

  test("a column that the type does not have is a mistake in the call", async () => {
    await expect(read(csvReader("invoice"), "id,totl\n")).rejects.toThrow(
      'no field of type invoice "totl". Did you mean total?',
    );
  });

  test("control characters of a first row are shown as codes", async () => {
    await expect(read(csvReader("invoice"), "id,\u001b[2Jtotal\n")).rejects.toThrow('"\\u{1b}[2Jtotal"');
    const map = join(folder, "map.json");
    writeFileSync(map, JSON.stringify({ columns: { A: "id" } }));
    const reading = read(csvReader("invoice", readColumnMap(map, "invoice")), "id,\u001b[2Jtotal\n");
    await expect(reading).rejects.toThrow("There are id, \\u{1b}[2Jtotal.");
  });
});

describe("a map", () => {
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
    [
      "takes a negative amount and leaves empty cells out",
      "+44;8;-12,50;;;",
      { id: 8, number: "+44", total: "-12.50" },
    ],
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
    expect(await read(csvReader("invoice", mapOf(map)), `${header}${row}\n`)).toEqual([
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
    expect(await read(csvReader("timesheet", timesheets), file)).toEqual([
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
  ])("with the decimal sign %s, %s is %s", async (decimals, cell, amount) => {
    const amounts = mapOf({ columns: { A: "total" }, decimals, separator: ";" });
    const [[, given] = []] = await read(csvReader("invoice", amounts), `A\n${cell}\n`);
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
    const [[line, given] = []] = await read(
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
    const found = await read(csvReader("invoice", times), `A\n${cell}\n`);
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
    expect(await read(reader, ',"A"": "\n1,:\n')).toEqual([[2, { type: "invoice", id: 1, state: "pending" }]]);
  });

  test("names a column that the table does not have", async () => {
    await expect(read(csvReader("invoice", mapOf(map)), "Nr;Belege\n")).rejects.toThrow(
      'There is no column "Beleg". Did you mean Belege?',
    );
  });
});

test("a table has a column for each field, also within the driver and the timelog", () => {
  const [header = ""] = tableOf("timesheet", timesheetLine(1, 1)).split("\r\n");
  expect(header.split(",")).toEqual([
    ...["id", "company_name", "currency", "date"],
    ...["id", "financial_company_id", "first_name", "last_name", "profile_id", "referral_code"].map(
      (of) => `driver.${of}`,
    ),
    ...["job_title", "payment_state", "state"],
    ...["id", "amend_status", "breaks", "duration", "start_at", "end_at"].map((of) => `timelog.${of}`),
    ...["total", "company_id", "version"],
  ]);
});

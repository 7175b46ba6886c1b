import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { csvOf } from "../../../infra/tools/csv/tables.ts";
import { readColumnMap } from "../../../infra/tools/import/column-map.ts";
import { csvReader } from "../../../infra/tools/import/csv-lines.ts";
import { maxLineBytes } from "../../../infra/tools/import/import-lines.ts";
import { invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { fc } from "../../support/service/properties.ts";
import { anyLine } from "../export/random-lines.ts";
import { readCsv } from "./read-csv.ts";

const folder = newFolder();

const tableOf = (type: "invoice" | "timesheet", ...lines: object[]) => {
  const { header, row } = csvOf(type);
  return header + lines.map((line) => row(JSON.stringify(line))).join("");
};

const anyTable = fc
  .constantFrom("invoice" as const, "timesheet" as const)
  .chain((type) => fc.tuple(fc.constant(type), fc.array(anyLine(undefined, [type]), { minLength: 1, maxLength: 3 })));

test("what an export writes as a table, the import reads as the same records", async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, async ([type, lines]) => {
      const found = await readCsv(csvReader(type), tableOf(type, ...lines));
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
    const found = await readCsv(csvReader("invoice"), file);
    expect(found).toEqual(
      expected.map(([line, given]) => [line, typeof given === "object" ? { type: "invoice", ...given } : given]),
    );
  });

  test("bytes that are no UTF-8 are a fault of their line", async () => {
    const file = Buffer.concat([Buffer.from(`${columns}\n1,paid,`), Buffer.from([0xe9]), Buffer.from("\n2,paid,B\n")]);
    expect(await readCsv(csvReader("invoice"), file)).toMatchObject([
      [2, "is not UTF-8 text"],
      [3, { id: 2 }],
    ]);
  });

  test("after a quote that is not closed, and after a row of more than 256 KiB, all rows are read", async () => {
    const long = "x".repeat(maxLineBytes);
    const last = "B".repeat(1_000);
    const rows = [`1,paid,"${long}\n"`, `2,paid,${long}`, `3,paid,"A`, ...Array<string>(6_000).fill(`4,paid,${last}`)];
    const found = await readCsv(csvReader("invoice"), `${columns}\n${rows.join("\n")}\n`);
    expect(found.slice(0, 4)).toEqual([
      [2, "has more than 262144 bytes"],
      [4, "has more than 262144 bytes"],
      [5, "has a double quote that opens a cell and is not closed"],
      [6, { type: "invoice", id: 4, state: "paid", number: last }],
    ]);
    expect([found.length, found.at(-1)?.[0]]).toEqual([6_003, 6_005]);
  });

  test("a column that the type does not have is a mistake in the call", async () => {
    await expect(readCsv(csvReader("invoice"), "id,totl\n")).rejects.toThrow(
      'no field of type invoice "totl". Did you mean total?',
    );
  });

  test("control characters of a first row are shown as codes", async () => {
    await expect(readCsv(csvReader("invoice"), "id,\u001b[2Jtotal\n")).rejects.toThrow('"\\u{1b}[2Jtotal"');
    const map = join(folder, "map.json");
    writeFileSync(map, JSON.stringify({ columns: { A: "id" } }));
    const reading = readCsv(csvReader("invoice", readColumnMap(map, "invoice")), "id,\u001b[2Jtotal\n");
    await expect(reading).rejects.toThrow("There are id, \\u{1b}[2Jtotal.");
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

import { expect, test } from "vitest";
import { csvOf } from "../../../infra/tools/export/csv.ts";
import { timesheetLine } from "../../support/records/records.ts";
import { fc } from "../../support/service/properties.ts";
import { anyLine, type Line } from "./random-lines.ts";

/** The rows of a file by RFC 4180, read by its grammar. */
function rowsIn(file: string): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < file.length) {
    const row: string[] = [];
    for (;;) {
      const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
      cell.lastIndex = at;
      const found = cell.exec(file);
      if (!found) throw new Error(`No cell at ${at} of ${JSON.stringify(file)}`);
      at = cell.lastIndex;
      row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
      if (found[3] === "\r\n") break;
    }
    rows.push(row);
  }
  return rows;
}

/** A record as its header and cells say it. */
function tableOf(type: "invoice" | "timesheet", line: object): Record<string, string> {
  const { header, row } = csvOf(type);
  const [names = [], cells = [], ...others] = rowsIn(header + row(JSON.stringify(line)));
  expect(others).toEqual([]);
  expect(cells).toHaveLength(names.length);
  return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
}

const formula = /^[=+\-@\t\r]/;

function expectCell(cell: string | undefined, value: unknown, isDecimal = false): void {
  if (isDecimal) expect(cell).toBe(value);
  else if (typeof value === "string") expect(cell).toBe(formula.test(value) ? `'${value}` : value);
  else expect(JSON.parse(cell || "null")).toEqual(value ?? null);
}

test("every field of an invoice is a cell; what a spreadsheet would run begins with an apostrophe, decimals stay numbers", () => {
  fc.assert(
    fc.property(anyLine(undefined, ["invoice"]), ({ type: _, ...line }: Line) => {
      const cells = tableOf("invoice", line);
      expect(new Set(Object.keys(cells))).toEqual(new Set([...Object.keys(line), "version"]));
      for (const [name, value] of Object.entries(line)) {
        expectCell(cells[name], value, name === "total" || name === "vat_percentage");
      }
    }),
    { numRuns: 50 },
  );
});

test("of a timesheet, driver and timelog are columns of their own, and what is open in them is JSON", () => {
  fc.assert(
    fc.property(anyLine(undefined, ["timesheet"]), (line) => {
      const { driver, timelog, total, job_title } = line as unknown as Record<string, Record<string, unknown>>;
      const cells = tableOf("timesheet", line);
      for (const [name, value] of Object.entries(driver ?? {})) expectCell(cells[`driver.${name}`], value);
      for (const [name, value] of Object.entries(timelog ?? {})) expectCell(cells[`timelog.${name}`], value);
      expectCell(cells.total, total, true);
      expectCell(cells.job_title, job_title);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["=1+1", "'=1+1"],
  ["-5", "'-5"],
  ["+44", "'+44"],
  ["@x", "'@x"],
  ["\tx", "'\tx"],
  ["\rx", "'\rx"],
  ["'x", "'x"],
  ['a,"b"\r\nc', 'a,"b"\r\nc'],
])("the text %j is the cell %j, and -12.50 is a number", (text, cell) => {
  const cells = tableOf("timesheet", { ...timesheetLine(1, 1), job_title: text, total: "-12.50" });
  expect([cells.job_title, cells.total]).toEqual([cell, "-12.50"]);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readColumnMap } from "../../../infra/tools/import/column-map.ts";
import { csvReader } from "../../../infra/tools/import/csv-lines.ts";
import { type LineError, lineErrors } from "../../../infra/tools/import/line-errors.ts";
import type { RecordType } from "../../../shared/contract/records.ts";
import { Refusal } from "../../../shared/contract/refusals.ts";
import { parseRecordLine } from "../../../shared/lines.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { anyText, fc } from "../../support/service/properties.ts";

const folder = newFolder();
const mapOf = (map: object, type: RecordType) => {
  writeFileSync(join(folder, "map.json"), JSON.stringify(map));
  return readColumnMap(join(folder, "map.json"), type);
};

/** The records and faults of a table, by the numbers of their rows. */
async function read(
  table: string | Buffer,
  { map, type = "invoice", pieces = 1 }: { map?: object; type?: RecordType; pieces?: number } = {},
) {
  const bytes = Buffer.from(table);
  const size = Math.ceil(bytes.length / pieces) || 1;
  async function* source() {
    for (let at = 0; at < bytes.length || at === 0; at += size) yield bytes.subarray(at, at + size);
  }
  const records = new Map<number, unknown>();
  const faults: LineError[] = [];
  for await (const line of csvReader(type, map && mapOf(map, type))(source())) {
    try {
      if (line.given instanceof Refusal) throw line.given;
      records.set(line.number, parseRecordLine(line.given, "GB"));
    } catch (error) {
      faults.push(...lineErrors(line, error));
    }
  }
  return { records, faults };
}

const nasty = [
  ...["", " ", '"', '""', '"""', 'a"b', '"a"b', "\0", "\uFEFF", "\uFFFD", "\\ud800", '["\\ud800"]', "\r", "\u2028"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", '{"__proto__":1}', '{"hours":{"constructor":1}}'],
  ...["1e3", "1000.0", "-0", "007", "0x1f", "1_000", "Infinity", "NaN", "9".repeat(400), "1e400", "9007199254740993"],
  ...["00.00.0000", "31.02.2026", "29.02.2027", "01.01.0000 00:00", "31.12.9999 23:59", "99.99.9999 99:99"],
  ...["x".repeat(300 * 1024), "[".repeat(100_000), `[${"[".repeat(60_000)}${"]".repeat(60_000)}]`, " ".repeat(200_000)],
  ...["=1+1", "true", "null", "[]", "{}", "8:75", "8.3333", "-8", "1:00:30"],
];

const everyColumn = ["id", "total", "issued_date", "created_at", "state", "number", "version"];
const timed = {
  columns: {
    A: "id",
    B: "total",
    C: "date",
    D: "timelog.start_at",
    E: "timelog.duration",
    F: "timelog.breaks",
    G: "state",
  },
  values: { state: { offen: "pending" } },
  dates: "DD.MM.YYYY HH:mm",
  timeZone: "Europe/Berlin",
  decimals: ",",
};

test("no cell ends the reading, and the rows after it are read", async () => {
  const anyCell = fc.oneof(fc.constantFrom(...nasty), anyText({ maxLength: 12 }));
  const isQuoted = fc.boolean();
  await fc.assert(
    fc.asyncProperty(anyCell, fc.nat({ max: 6 }), isQuoted, fc.boolean(), async (cell, place, quoted, mapped) => {
      const cells = everyColumn.map((_, at) =>
        at === place ? (quoted ? `"${cell.replaceAll('"', '""')}"` : cell) : "",
      );
      const header = mapped ? "A,B,C,D,E,F,G" : everyColumn.join();
      const table = `${header}\n${cells.join()}\n77,,,,,,\n`;
      const { records } = await read(table, mapped ? { map: timed, type: "timesheet" } : {});
      const isOpen = !quoted && cell.includes('"');
      expect([...records.values()].at(-1)).toMatchObject(isOpen ? {} : { id: 77 });
    }),
    { numRuns: 300 },
  );
});

test.each(nasty)("the cell %.40j is read or is a fault of its row", async (cell) => {
  const cells = everyColumn.map((_, place) => everyColumn.map((_, at) => (at === place ? cell : "")).join());
  const { records } = await read(`${everyColumn.join()}\n${cells.join("\n")}\n77,,,,,,\n`);
  expect([...records.values()].at(-1)).toEqual({ type: "invoice", id: 77 });
});

describe("an id", () => {
  test.each(["4.47701E+11", "1e3", "9,10009E+05"])("%s is a fault that says what a spreadsheet did", async (id) => {
    const { faults } = await read(`A;B\n${id};1\n`, { map: { columns: { A: "id" }, separator: ";" } });
    expect(faults).toMatchObject([{ line: 2, field: "id", detail: expect.stringContaining("has lost digits") }]);
    expect(faults[0]?.detail).toContain("column A: digits alone");
  });

  test.each(["1000.0", "007", "+7", "-0", "9007199254740993", "0x1f", "1 000"])("%s is a fault", async (id) => {
    const { faults, records } = await read(`id,number\n${id},A\n8,B\n`);
    expect([faults.map(({ line, field }) => [line, field]), [...records.keys()]]).toEqual([[[2, "id"]], [3]]);
  });

  test("of a fault is shown as a spreadsheet wrote it", async () => {
    const { faults } = await read("id,number\n4.47701E+11,A\n");
    expect(faults).toMatchObject([{ value: "4.47701E+11" }]);
  });
});

test("an id of a fault is shown as a German spreadsheet wrote it", async () => {
  const { faults } = await read("A;B\n9,10009E+05;1\n", { map: { columns: { A: "id" }, separator: ";" } });
  expect(faults).toMatchObject([{ value: "9,10009E+05" }]);
});

describe("each part of a date is as long as its format says", () => {
  test.each<[string, string, string | undefined]>([
    ["DD.MM.YYYY", "03.11.2026", "2026-11-03"],
    ["DD.MM.YYYY", "03.11.26", undefined],
    ["DD.MM.YYYY", "3.11.2026", undefined],
    ["DD.MM.YYYY", "03.11.02026", undefined],
    ["D.M.YYYY", "3.1.2026", "2026-01-03"],
    ["D.M.YYYY", "03.01.2026", "2026-01-03"],
    ["D.M.YYYY", "003.01.2026", undefined],
    ["D.M.YYYY", "3.11.26", undefined],
    ["YYYYMMDD", "20261103", "2026-11-03"],
    ["DDMMYYYY", "03112026", "2026-11-03"],
    ["D.M.YYYY", "2026-03-11", "2026-03-11"],
    ["M/D/YYYY, h:mm A", "11/3/2026, 7:05 PM", "2026-11-03"],
  ])("%s reads %s as %s", async (dates, cell, date) => {
    const map = { columns: { A: "id", B: "due_date" }, separator: ";", dates };
    const { records, faults } = await read(`A;B\n1;${cell}\n`, { map });
    expect(records.get(2)).toEqual(date && { type: "invoice", id: 1, due_date: date });
    const fault = {
      line: 2,
      id: 1,
      field: "due_date",
      value: cell,
      detail: expect.stringContaining(`column B: ${dates}`),
    };
    expect(faults).toEqual(date ? [] : [expect.objectContaining(fault)]);
  });

  test.each<[string, string | undefined]>([
    ["12:00 AM", "2026-11-03T00:00:00.000Z"],
    ["12:30 pm", "2026-11-03T12:30:00.000Z"],
    ["1:05 PM", "2026-11-03T13:05:00.000Z"],
    ["13:05 PM", undefined],
    ["0:05 AM", undefined],
    ["1:60 AM", undefined],
  ])("a 12-hour clock shows %s for %s", async (time, moment) => {
    const map = { columns: { A: "id" }, joined: { created_at: ["B", "C"] }, separator: ";", dates: "D.M.YYYY h:mm A" };
    const { records } = await read(`A;B;C\n1;3.11.2026;${time}\n`, { map });
    expect(records.get(2)).toEqual(moment && { type: "invoice", id: 1, created_at: moment });
  });

  test.each([
    "31.04.2026",
    "29.02.2100",
    "31.12.1969",
    "01.01.2200",
  ])("a fault shows %s as the table has it", async (cell) => {
    const map = { columns: { A: "id", B: ["due_date", "created_at"] }, dates: "DD.MM.YYYY" };
    const fault = { id: 1, value: cell };
    for (const timeZone of [undefined, "Pacific/Honolulu"]) {
      const { faults } = await read(`A,B\n1,${cell}\n`, { map: { ...map, timeZone } });
      expect(faults).toMatchObject([
        { ...fault, field: "created_at" },
        { ...fault, field: "due_date" },
      ]);
    }
  });

  test.each([
    "11/3/2026, 7:05\u202fPM",
    "11/3/2026,\u00a07:05 PM",
  ])("a blank of %j is any blank of a line", async (cell) => {
    const map = { columns: { A: "id", B: "created_at" }, separator: ";", dates: "M/D/YYYY, h:mm A" };
    const { records } = await read(`A;B\n1;${cell}\n`, { map });
    expect(records.get(2)).toMatchObject({ created_at: "2026-11-03T19:05:00.000Z" });
  });

  test.each([
    "01.01.0000 00:00",
    "24.12.2026 24:00",
    "30.12.2011 12:00",
  ])("of %s a zone makes a fault", async (cell) => {
    const map = { columns: { A: "id", B: "created_at" }, dates: "DD.MM.YYYY HH:mm", timeZone: "Pacific/Apia" };
    const { faults } = await read(`A,B\n1,${cell}\n`, { map });
    expect(faults).toMatchObject([{ field: "created_at", value: cell }]);
  });
});

test.each<[string, object | undefined]>([
  ["8:15", { hours: 8, minutes: 15 }],
  ["08:15:00", { hours: 8, minutes: 15 }],
  ["8,25", { hours: 8, minutes: 15 }],
  ["8", { hours: 8, minutes: 0 }],
  ["100:00", { hours: 100, minutes: 0 }],
  ['{"hours":8}', { hours: 8 }],
  ["8.25", undefined],
  ["08:15:30", undefined],
  ["8,33", undefined],
  ["8:75", undefined],
  ["-8:15", undefined],
  ["8.250,00", undefined],
])("the duration %s is %j", async (cell, duration) => {
  const times = { id: "7", amend_status: "approved", breaks: [] };
  const at = { "timelog.start_at": "2026-11-03T07:00:00.000Z", "timelog.end_at": "2026-11-03T16:00:00.000Z" };
  const constants = {
    ...at,
    ...Object.fromEntries(Object.entries(times).map(([name, value]) => [`timelog.${name}`, value])),
    "timelog.id": 7,
  };
  const map = { columns: { A: "id", B: "timelog.duration" }, constants, separator: ";", decimals: "," };
  const { records, faults } = await read(`A;B\n1;${cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell}\n`, {
    map,
    type: "timesheet",
  });
  if (duration) expect(records.get(2)).toMatchObject({ timelog: { duration } });
  else expect(faults).toMatchObject([{ line: 2, id: 1, field: "timelog.duration" }]);
});

test.each([
  [",", "8:15 or 8,25 hours"],
  [".", "8:15 or 8.25 hours"],
  [undefined, "8:15 or 8.25 hours"],
])("with the decimal sign %s, the fault of a duration asks for %s", async (decimals, form) => {
  const map = { columns: { A: "id", B: "timelog.duration" }, separator: ";", decimals };
  const { faults } = await read("A;B\n1;8h\n", { map, type: "timesheet" });
  expect(faults.find(({ field }) => field === "timelog.duration")?.detail).toContain(form);
});

describe("wrong use, before any record", () => {
  const columns = { A: "id", B: "total" };
  const ansi = Buffer.from("A;B;Straße\n1;2;x\n", "latin1");
  const wide = Buffer.from("\uFEFFA;B\n1;2\n", "utf16le");
  test.each<[string, string | Buffer, object | undefined, string]>([
    ["a mapped column twice", "A;B;B\n1;2;3\n", { columns, separator: ";" }, 'has the column "B" twice'],
    ["any column twice without a map", "id,number,number\n1,2,3\n", undefined, 'has the column "number" twice'],
    ["another separator", "sep=;\nA;B\n1;2\n", { columns }, 'its separator is ";", not ","'],
    ["no bytes", "", undefined, "is empty"],
    ["blank lines alone", "\n\n", undefined, "is empty"],
    ["UTF-16 for UTF-8", wide, { columns }, "The table is utf-16le, not utf-8"],
    ["UTF-16 without a byte order mark", wide.subarray(2), { columns }, "The table is utf-16le, not utf-8"],
    ["UTF-16, big end first", Buffer.from(wide).swap16(), { columns }, "utf-16be, not utf-8: save it as UTF-8"],
    ["UTF-8 for UTF-16", "A;B\n1;2\n", { columns, encoding: "utf-16le" }, "is not UTF-16, not utf-16le"],
    ["UTF-8 for windows-1252", "\uFEFFA;B\n", { columns, encoding: "windows-1252" }, "is utf-8, not windows-1252"],
    [
      "letters of UTF-8",
      "A;B;ß\n",
      { columns, encoding: "windows-1252" },
      "is UTF-8 text, and the map says windows-1252",
    ],
    ["letters of windows-1252", ansi, { columns, separator: ";" }, "is not UTF-8 text"],
    ["CR alone", "A;B\r1;2\r", { columns, separator: ";" }, "end in CR alone"],
  ])("%s", async (_, table, map, said) => {
    await expect(read(table, map && { map })).rejects.toThrow(said);
  });
});

test("a column that no field uses may be there twice; a first line sep= that agrees is passed over", async () => {
  const map = { columns: { A: "id" }, separator: ";" };
  expect((await read("sep=;\r\nA;X;X\r\n1;2;3\r\n", { map })).records.get(3)).toEqual({ type: "invoice", id: 1 });
});

test("letters of another encoding than the map's are a fault of their row", async () => {
  const map = { columns: { A: "id", B: "number" }, encoding: "windows-1252" };
  const { faults, records } = await read(Buffer.from("A,B\n1,M\xfcller\n2,M\xc3\xbcller\n3,x\x81\n", "latin1"), {
    map,
  });
  expect(faults).toMatchObject([
    { line: 3, code: "invalid_utf8" },
    { line: 4, field: "number" },
  ]);
  expect(records.get(2)).toMatchObject({ number: "Müller" });
});

test("a row costs what its length costs, as a whole and in pieces", async () => {
  const costOnce = async (lines: number, pieces: number) => {
    const began = process.cpuUsage();
    await read(`id,number\n1,"${'""\n'.repeat(lines)}"\n`, { pieces });
    const { user, system } = process.cpuUsage(began);
    return user + system;
  };
  // The least of some: compilers and the collection of garbage work beside any of them.
  const cost = async (lines: number, pieces: number) => {
    let least = Number.POSITIVE_INFINITY;
    for (let times = 0; times < 6; times += 1) least = Math.min(least, await costOnce(lines, pieces));
    return least;
  };
  expect((await cost(80_000, 1)) / (await cost(10_000, 1))).toBeLessThan(24);
  expect((await cost(80_000, 240)) / (await cost(10_000, 30))).toBeLessThan(24);
});

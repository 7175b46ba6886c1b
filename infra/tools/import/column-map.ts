import { readFileSync } from "node:fs";
import * as v from "valibot";
import type { RecordType } from "../../../shared/contract/records.ts";
import { forbiddenNames } from "../../../shared/contract/refusals.ts";
import { timeZone } from "../../stages/setting-values.ts";
import { orMistake, UsageError, unknownWord } from "../cli/command.ts";
import { type Column, columnNameOf, columnsOf } from "../csv/tables.ts";
import { type DateReader, readFormat } from "./date-formats.ts";
import { tableEncodings } from "./encodings.ts";

const mapShape = v.strictObject({
  columns: v.record(v.string(), v.union([v.string(), v.array(v.string())])),
  joined: v.optional(v.record(v.string(), v.pipe(v.array(v.string()), v.minLength(2))), {}),
  constants: v.optional(v.record(v.string(), v.unknown()), {}),
  values: v.optional(v.record(v.string(), v.record(v.string(), v.string())), {}),
  dates: v.optional(v.union([v.string(), v.record(v.string(), v.string())]), {}),
  // Sweden writes times as ISO 8601 does.
  timeZone: v.optional(
    v.pipe(
      v.config(timeZone, { message: "takes an IANA time zone, such as Europe/London" }),
      v.transform(
        (timeZone) => new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }),
      ),
    ),
  ),
  decimals: v.optional(v.picklist([",", "."])),
  separator: v.optional(v.picklist([",", ";", "\t"]), ","),
  encoding: v.optional(v.picklist(tableEncodings), "utf-8"),
});

/** The way from the columns of another system's table to the fields of a type. */
export interface ColumnMap extends Omit<v.InferOutput<typeof mapShape>, "columns" | "joined" | "dates"> {
  /** The columns that fill each field. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** For fields with a date or time: the format, and what reads it. */
  readonly formats: ReadonlyMap<string, { readonly text: string; readonly read: DateReader }>;
  /** That of the constant currency, such as `€`, which amounts may carry. */
  readonly symbol: string | undefined;
}

/** The cells of other kinds would be another value together: amounts of 100 and 200 are not 100 200. */
const joinable: readonly Column["kind"][] = ["text", "date", "time"];

/** Reads the file of a map. Throws `UsageError` with a sentence if it is none for the type. */
export function readColumnMap(file: string, type: RecordType): ColumnMap {
  const read: unknown = orMistake(`Cannot read the map ${file}: `, () => parseMap(readFileSync(file, "utf8")));
  const result = v.safeParse(mapShape, read);
  const [issue] = result.issues ?? [];
  if (issue) throw new UsageError(`${file}: ${v.getDotPath(issue) ?? "the map"}: ${issue.message}`);
  const { columns, joined, dates, ...map } = result.output as v.InferOutput<typeof mapShape>;
  const known = columnsOf(type, { opened: true });
  const names = known.map(columnNameOf);
  const filled = [...Object.values(columns).flat(), ...Object.keys(joined), ...Object.keys(map.constants)];
  const formatted = typeof dates === "string" ? [] : Object.keys(dates);
  for (const name of [...filled, ...Object.keys(map.values), ...formatted]) {
    if (!names.includes(name)) throw unknownWord(`field of type ${type}`, name, names);
  }
  for (const [at, name] of filled.entries()) {
    const other = filled.find((each, place) => place !== at && `${name}.`.startsWith(`${each}.`));
    if (other !== undefined) {
      const twice = other === name ? `${name} is filled twice` : `${name} is within ${other}, which is filled, too`;
      throw new UsageError(`${file}: ${twice}: name each field in one entry of columns, joined or constants`);
    }
  }
  if (Object.hasOwn(map.constants, "id"))
    throw new UsageError(`${file}: constants.id: each row needs an id of its own`);
  const apart = known.find((column) => Object.hasOwn(joined, columnNameOf(column)) && !joinable.includes(column.kind));
  if (apart)
    throw new UsageError(
      `${file}: joined.${columnNameOf(apart)}: takes one column: only texts, dates and times are joined`,
    );
  const timed = known.filter(({ kind }) => kind === "date" || kind === "time").map(columnNameOf);
  const formats = typeof dates === "string" ? Object.fromEntries(timed.map((name) => [name, dates])) : dates;
  const sources = Object.entries(columns).flatMap(([column, fields]) =>
    [fields].flat().map((field) => [field, [column]] as const),
  );
  return {
    ...map,
    sources: new Map<string, readonly string[]>([...sources, ...Object.entries(joined)]),
    symbol: symbolOf(map.constants.currency),
    formats: new Map(Object.entries(formats).map(([name, text]) => [name, { text, read: formatOf(name, text) }])),
  };

  function formatOf(name: string, text: string): DateReader {
    const place = `${file}: dates${typeof dates === "string" ? "" : `.${name}`}: `;
    if (!timed.includes(name)) throw new UsageError(`${place}the field has no date; ${timed.join(", ")} have`);
    return orMistake(place, () => readFormat(text));
  }
}

function parseMap(text: string): unknown {
  const written = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
  // The whole map is read as one with the name "".
  let read = -1;
  // Of two entries with one name, JSON keeps the last.
  const map: unknown = JSON.parse(text, function (this: unknown, name, value) {
    if (forbiddenNames.includes(name)) throw new Error(`it cannot have the name "${name}"`);
    if (!Array.isArray(this)) read += 1;
    return value;
  });
  if (read < written) throw new Error("an object has a name twice: a column of several fields has a list of them");
  return map;
}

function symbolOf(currency: unknown): string | undefined {
  if (typeof currency !== "string" || !Intl.supportedValuesOf("currency").includes(currency)) return undefined;
  const format = new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "narrowSymbol" });
  return format.formatToParts(0).find(({ type }) => type === "currency")?.value;
}

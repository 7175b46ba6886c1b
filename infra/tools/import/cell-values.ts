import * as v from "valibot";
import { calendarDate, msPerDay, timestamp } from "../../../shared/contract/values.ts";
import { type Column, columnNameOf } from "../csv/tables.ts";
import type { ColumnMap } from "./column-map.ts";

/** The form in which cells of a kind are read, for the faults of others. */
function formOf(kind: Column["kind"], decimalSign: ColumnMap["decimals"]): string | undefined {
  if (kind === "number") return "digits alone";
  return kind === "duration" ? `8:15 or 8${decimalSign ?? "."}25 hours, in whole minutes` : undefined;
}

/** For each field that columns fill: their names, and the form or the words of their cells if there are any. */
export function hintsOf(map: ColumnMap, columns: readonly Column[]): ReadonlyMap<string, string> {
  const kinds = new Map(columns.map((column) => [columnNameOf(column), column.kind]));
  const hints = [...map.sources].map(([field, names]) => {
    const kind = kinds.get(field) ?? "text";
    const words = Object.keys(map.values[field] ?? {}).join(", ");
    const amount = kind === "decimal" && map.decimals ? `1250${map.decimals}00` : "";
    const form = map.formats.get(field)?.text || amount || words || formOf(kind, map.decimals);
    return [field, `column ${names.join(" and ")}${form ? `: ${form}` : ""}`] as const;
  });
  return new Map(hints);
}

/**
 * The cells of a field as the export would have them. What does not have the map's form, or is no day or moment of a record,
 * stays as it is: no field takes it, and its fault shows what the table has.
 */
export function mappedValue(cells: readonly string[], column: Column, map: ColumnMap): string {
  const text = cells
    .map((cell) => cell.trim())
    .join(" ")
    .trim();
  const name = columnNameOf(column);
  const words = map.values[name] ?? {};
  const value = Object.hasOwn(words, text) ? (words[text] ?? "") : text;
  if (column.kind === "decimal" && map.decimals) return amountOf(value, map.decimals, map.symbol);
  if (column.kind === "duration") return durationOf(value, map.decimals) ?? value;
  const found = map.formats.get(name)?.read(value);
  if (!found) return value;
  const isDate = column.kind === "date";
  const read = isDate ? found.date : momentOf(`${found.date}T${found.clock}`, map.timeZone);
  return v.is(isDate ? calendarDate : timestamp, read) ? read : value;
}

const minus = /^[-\u2212]|[-\u2212]$/;
/** Separators of thousands go where each has three digits after it. */
const amounts = {
  ",": /^(\d+|[1-9]\d{0,2}([.'\u2019\p{Zs}])\d{3}(\2\d{3})*)(,\d+)?$/u,
  ".": /^(\d+|[1-9]\d{0,2}([,'\u2019\p{Zs}])\d{3}(\2\d{3})*)(\.\d+)?$/u,
};

/** A cell of another form loses its points, because with one it might be a decimal of the interface: the import refuses it. */
function amountOf(text: string, decimalSign: "," | ".", symbol: string | undefined): string {
  const outer = withoutSymbol(text, symbol);
  const unsigned = outer.replace(minus, "").trim();
  const digits = outer === text ? withoutSymbol(unsigned, symbol) : unsigned;
  if (!amounts[decimalSign].test(digits)) return text.replaceAll(".", decimalSign);
  const [whole = "", ...decimals] = digits.split(decimalSign);
  return (minus.test(outer) ? "-" : "") + [whole.replaceAll(/\D/g, ""), ...decimals].join(".");
}

function withoutSymbol(text: string, symbol: string | undefined): string {
  if (!symbol) return text;
  if (text.startsWith(symbol)) return text.slice(symbol.length).trimStart();
  return text.endsWith(symbol) ? text.slice(0, -symbol.length).trimEnd() : text;
}

/** Undefined for another form, and for a rest below a minute. */
function durationOf(text: string, decimalSign: "," | "." = "."): string | undefined {
  const clock = /^(\d{1,4}):([0-5]\d)(?::00)?$/.exec(text);
  const decimal = /^(\d{1,4})(?:[.,](\d{1,9}))?$/.exec(text);
  if (!clock && !(decimal && (decimal[2] === undefined || text.includes(decimalSign)))) return undefined;
  const [, hours, part = ""] = clock ?? decimal ?? [];
  const minutes = clock ? Number(part) : (Number(part) * 60) / 10 ** part.length;
  return Number.isInteger(minutes) ? JSON.stringify({ hours: Number(hours), minutes }) : undefined;
}

/** The moment at which clocks of a zone, or of UTC, show a time; the first of two, undefined if none does. */
function momentOf(clock: string, zone: Intl.DateTimeFormat | undefined): string | undefined {
  if (!zone) return `${clock}.000Z`;
  const shown = (ms: number) => zone.format(ms).replace(" ", "T");
  const ms = Date.parse(`${clock}Z`);
  // The offsets of the day before and the day after: they differ where clocks change.
  const near = [-1, 1].map((days) => ms + days * msPerDay).filter((moment) => Number.isFinite(moment));
  const moments = near.map((moment) => ms - (Date.parse(`${shown(moment)}Z`) - moment)).filter(Number.isFinite);
  const found = moments.find((moment) => shown(moment) === clock);
  return found === undefined ? undefined : new Date(found).toISOString();
}

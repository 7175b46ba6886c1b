import type { FieldCode } from "../../../shared/contract/refusals.ts";
import { fieldsInvalid, Refusal } from "../../../shared/contract/refusals.ts";

/** The reason why a line was not imported. `field` is a path such as `driver.profile_id`, empty for the whole line. */
export interface LineError {
  readonly line: number;
  /** The id of the record, if the line has one. */
  readonly id?: number;
  readonly field: string;
  /** The value of the field, if it may be shown. */
  readonly value?: string;
  readonly code: string;
  readonly detail: string;
}

/** A record as a file has it, or the refusal of its line. `number` is that of its first line. */
export interface GivenLine {
  readonly number: number;
  readonly given: unknown;
  /** The names of the fields in the file, for their faults. */
  readonly hints?: ReadonlyMap<string, string> | undefined;
}

/** The refusal of a whole line. */
export function lineFault(code: FieldCode, detail: string): Refusal {
  return fieldsInvalid([{ path: [], code, detail }]);
}

/** The errors of a line. Rethrows errors that are not about the line. */
export function lineErrors({ number, given, hints }: GivenLine, error: unknown): LineError[] {
  const id = valueAt(given, ["id"]);
  const record = { line: number, ...(Number.isSafeInteger(id) && { id: Number(id) }) };
  if (error instanceof Refusal) {
    const { code, message, facts } = error;
    if (!facts.errors) return [{ ...record, field: "", code, detail: message }];
    return facts.errors.map(({ pointer = "", code, detail }) => {
      const path = pointer
        .split("/")
        .slice(1)
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
      const value = valueAt(given, path);
      const isRounded = typeof value === "string" && exponent.test(value);
      const hint = hints?.get(path.join(".")) ?? "";
      return {
        ...record,
        field: path.join("."),
        ...shownValue(path, value),
        code,
        detail: `${detail}${isRounded ? "; a spreadsheet has lost digits of it" : ""}${hint && ` (${hint})`}`,
      };
    });
  }
  const isRefusedByTable = error instanceof Error && error.name === "ValidationException";
  if (isRefusedByTable) return [{ ...record, field: "", code: "not_storable", detail: "the table cannot hold it" }];
  throw error;
}

/** The form in which a spreadsheet writes a number that it rounded. */
const exponent = /^-?\d+([.,]\d+)?E[+-]?\d+$/i;

/** Most characters of a value that are shown. */
const mostLetters = 40;
/** Fields with these names hold ids, dates and states. The forms keep out a name or contact that stands in the wrong column. */
const shownFields = [
  { name: /^(id|uuid|version|.+_id)$/, form: /^([\w.-]+|[\d.,]+E\+\d+)$/ },
  { name: /^(date|from|to|.+_date|.+_at)$/, form: /^\d[\w.:/ +-]*$/ },
  { name: /^(state|payment_state|role)$/, form: /^[\p{L}\d_-]+$/u },
] as const;

function shownValue(path: readonly string[], value: unknown): Pick<LineError, "value"> {
  const name = path.at(-1) ?? "";
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const isShown = shownFields.some((field) => field.name.test(name) && field.form.test(text));
  return isShown ? { value: text.slice(0, mostLetters) } : {};
}

function valueAt(given: unknown, path: readonly string[]): unknown {
  return path.reduce((within, name) => (Object(within) as Record<string, unknown>)[name], given);
}

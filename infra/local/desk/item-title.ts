import type { Item } from "../../../shared/db/table/table.ts";

/** The fields that identify an item to a person. From each line, the first that the item has is shown. */
const parts: readonly (readonly string[])[] = [
  ["last_name", "name", "title", "record_type", "platform", "operation"],
  ["job_title", "number"],
  ["company_name"],
  ["date", "issued_date", "opened_at", "created_at", "published_at", "at"],
  ["state", "role", "did"],
];

/** The name, number, date and state of an item, as far as it has them; empty if it has none. */
export function titleOf({ record, ...own }: Item): string {
  const inner = record as { driver?: object } | undefined;
  const fields: Item = { ...own, ...inner?.driver, ...inner };
  const found = parts.flatMap((names) => names.find((name) => textOf(fields, name) !== "") ?? []);
  return found.map((name) => textOf(fields, name)).join(" · ");
}

function textOf(fields: Item, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" && typeof value !== "number") return "";
  if (name === "last_name") return [fields.first_name, value].filter(Boolean).join(" ");
  // Only the day of a time.
  return /(^|_)at$/.test(name) ? String(value).slice(0, 10) : String(value);
}

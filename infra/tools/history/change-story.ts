import type { ShownChange } from "../../../shared/history/shown-changes.ts";
import { escapeControls, type Style } from "../../local/console/style.ts";

/** Characters of a value on the screen: three lines of a terminal. */
const mostOfValue = 200;

/**
 * Changes as a story, in the given order: a line for each change, and below it a line for each field. `namesRecords` adds the
 * record to each line, for changes of several records.
 */
export function describeChanges(
  changes: readonly ShownChange[],
  style: Style,
  { namesRecords }: { readonly namesRecords: boolean },
): string {
  return changes.map((each) => describeChange(each, style, namesRecords ? recordOf(each) : "")).join("");
}

function describeChange(
  { at, action, by, operation, change_id, request_id, fields }: ShownChange,
  style: Style,
  record: string,
): string {
  const sources = { operation, change: change_id, request: request_id };
  const facts = Object.entries(sources).flatMap(([name, value]) => (value === null ? [] : `${name} ${plain(value)}`));
  const head = [
    style("bold", `${at}  ${action.replaceAll("_", " ")}${record} by ${actorOf(by)}`),
    style("dim", facts.join(", ")),
  ];
  const width = Math.max(0, ...fields.map(({ name }) => name.length));
  const lines = fields.map(({ name, before, after }) => {
    return `    ${plain(name).padEnd(width)}  ${textOf(before)} → ${textOf(after)}\n`;
  });
  return `${head.join("  ").trimEnd()}\n${lines.join("")}`;
}

function recordOf({ record_type, record_id }: ShownChange): string {
  return record_id === null ? "" : ` ${record_type.toLowerCase()} ${record_id}`;
}

function actorOf({ kind, id, name }: ShownChange["by"]): string {
  const words = kind === "unknown" ? ["nobody that is known"] : [kind, id ?? ""];
  return plain([...words, name === null ? "" : `(${name})`].filter(Boolean).join(" "));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  const text = plain(typeof value === "string" ? value : JSON.stringify(value));
  const rest = text.length - mostOfValue;
  return rest > 0 ? `${text.slice(0, mostOfValue)}… (${rest} more characters)` : text;
}

/** Keeps foreign text on one line of a terminal. */
function plain(text: string): string {
  return escapeControls(text).replaceAll(/[\n\t]/g, " ");
}

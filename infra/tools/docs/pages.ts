import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "../../../shared/contract/operations.ts";
import { codesTable, operationsTable } from "./contract-tables.ts";
import type { MarkedTables } from "./marked-tables.ts";

/** The page of costs, whose tables come from a measuring run. */
export const costsPage = "infra/COSTS.md";

/** The tables that follow from the code, by the page that holds them. */
export function contractPages(): Readonly<Record<string, MarkedTables>> {
  return {
    "README.md": { operations: operationsTable() },
    "shared/contract/README.md": { codes: codesTable() },
  };
}

/** The operations that have no row on the page of costs, and the rows of operations that are gone. */
export function unmeasuredOperations(root: string): string[] {
  const [, table = ""] = readFileSync(join(root, costsPage), "utf8").split("<!-- docs:costs-operations -->");
  const [rows = ""] = table.split("<!-- /docs:costs-operations -->");
  const measured = [...rows.matchAll(/^\| ([a-z]+(?:-[a-z]+)+) \|/gm)].map(([, name = ""]) => name);
  const names = operations.map(({ name }) => name);
  return [...names.filter((name) => !measured.includes(name)), ...measured.filter((name) => !names.includes(name))];
}

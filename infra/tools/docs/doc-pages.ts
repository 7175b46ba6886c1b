import { everyRole, type Operation } from "../../../shared/contract/operation.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { internalError, type RefusalCode, refusalCodes } from "../../../shared/contract/refusals.ts";
import { settingNames, settingTextOf } from "../../stages/stage-shape.ts";
import { stages } from "../../stages/stages.ts";
import { methodNameOf } from "../client/client-operations.ts";
import { type MarkedTables, tableOf } from "./marked-tables.ts";

/** The page of costs, whose tables come from a measurement. */
export const costsPage = "infra/COSTS.md";

/** The tables that are generated from the code, by page. */
export function contractPages(): Readonly<Record<string, MarkedTables>> {
  return {
    "README.md": { operations: operationsTable() },
    "shared/contract/README.md": { codes: codesTable() },
    "infra/README.md": { settings: settingsTable() },
    "shared/client/README.md": { repeated: repeatedMethods() },
    "infra/document/guides/9-client.md": { repeated: repeatedMethods() },
  };
}

/** Conditions of operations that anyone may call, by the code of the refusal. */
const conditions: Partial<Record<RefusalCode, string>> = {
  route_not_found: ", where the stage is open",
  reset_token_invalid: " with a reset token",
};

function operationsTable(): string {
  const rows = operations.map((each) => [each.name, `\`${each.method} ${each.path}\``, callersOf(each)]);
  return tableOf(["operation", "method and path", "who"], rows);
}

/** The methods of the client that write and may be sent again. */
function repeatedMethods(): string {
  const writes = operations.filter(({ idempotent }) => idempotent);
  return writes.map(({ name }) => `- \`${methodNameOf(name)}\``).join("\n");
}

function codesTable(): string {
  const codes = Object.entries({ ...refusalCodes, [internalError.code]: internalError });
  const byStatus = [...Map.groupBy(codes, ([, { status }]) => status)].toSorted(([one], [other]) => one - other);
  const rows = byStatus.map(([status, alike]) => [status, alike.map(([code]) => `\`${code}\``).join(", ")]);
  return tableOf(["status", "codes"], rows);
}

function callersOf({ access, refusals = [] }: Operation): string {
  if (access === "anyone") return `anyone${refusals.map((code) => conditions[code]).join("")}`;
  return access.length === everyRole.length ? "everyone signed in" : access.join(", ");
}

function settingsTable(): string {
  const { local: _, ...shown } = stages;
  const rows = settingNames.map((name) => {
    const { meaning, otherwise } = settingTextOf(name);
    return [`\`${name}\``, meaning, ...Object.values(shown).map((stage) => shownValue(stage[name] ?? otherwise))];
  });
  return tableOf(["setting", "meaning", ...Object.keys(shown)], rows);
}

function shownValue(value: unknown): string {
  if (typeof value !== "object") return String(value ?? "–");
  const parts = Array.isArray(value) ? value : Object.entries(value ?? {}).map(([key, each]) => `${key} ${each}`);
  return parts.join(", ") || "–";
}

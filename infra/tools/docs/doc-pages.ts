import { everyRole, type Operation } from "../../../shared/contract/operation.ts";
import { type OperationName, operations } from "../../../shared/contract/operations.ts";
import { internalError, type RefusalCode, refusalCodes } from "../../../shared/contract/refusals.ts";
import { functions } from "../../functions/functions.ts";
import { settingNames, settingTextOf } from "../../stages/stage-shape.ts";
import { stages } from "../../stages/stages.ts";
import { methodNameOf } from "../client/client-operations.ts";
import { type MarkedTables, tableOf } from "./marked-tables.ts";

/** The page of costs, whose tables come from a measurement. */
export const costsPage = "infra/COSTS.md";

/** The tables that are generated from the code, by page. */
export function contractPages(): Readonly<Record<string, MarkedTables>> {
  return {
    "README.md": operationTables(),
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

/** The operations that the service was asked for, in the order of its interface. */
const coreOperations: readonly OperationName[] = [
  "bulk-update-timesheets",
  "list-invoices",
  "adjust-job-timers",
  "request-password-reset",
  "confirm-login",
  "list-notifications",
  "register-device-token",
  "get-unread-counts",
];

/** The operations without which nobody could call those. */
const neededOperations: readonly OperationName[] = [
  "sign-in",
  "refresh-token",
  "sign-out",
  "list-timesheets",
  "list-jobs",
  "list-companies",
  "set-password",
  "mark-notifications",
  "list-device-tokens",
  "remove-device-token",
];

function operationTables(): MarkedTables {
  const core = operationsNamed(coreOperations);
  const needed = operationsNamed(neededOperations);
  const beside = operations.filter((each) => !core.includes(each) && !needed.includes(each));
  const coreRows = coreOperations.flatMap((name) => {
    const { area } = functions[name];
    const handler = `[\`${name}\`](functions/${area}/${name}.ts)`;
    const event = `[event](events/${area}/${name}.json)`;
    return operationsNamed([name]).map((each) => [routeOf(each), handler, event, `\`npm run invoke -- ${name}\``]);
  });
  return {
    core: tableOf(["method and path", "handler", "sample", "run it"], coreRows),
    needed: tableOf(["operation", "method and path", "who"], needed.map(rowOf)),
    beside: tableOf(["operation", "method and path", "who"], beside.map(rowOf)),
  };
}

function operationsNamed(names: readonly OperationName[]) {
  return names.flatMap((name) => operations.filter((each) => each.name === name));
}

function rowOf(operation: (typeof operations)[number]): string[] {
  return [operation.name, routeOf(operation), callersOf(operation)];
}

function routeOf({ method, path }: Operation): string {
  return `\`${method} ${path}\``;
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

import type { FunctionRow } from "./function-row.ts";

/** The function that answers the documentation page: its build has Scalar inside, compressed. */
export const pageFunction = "get-docs";

const rows = {
  "refuse-unrouted": {
    area: "service",
    impact: "Requests for paths that do not exist get a 5xx instead of a 404. Users lose nothing.",
    settings: ["registration"],
    knowsIssuer: true,
  },
  [pageFunction]: {
    area: "service",
    impact: "Developers of apps cannot read the documentation page. Users lose nothing.",
  },
  "deliver-pin": {
    area: "workers",
    impact: "Pins do not arrive: nobody can reset a password or finish registering.",
    pages: true,
    timeoutSeconds: 30,
    readsHmacKey: true,
    sendsMessages: true,
    settings: ["serviceName", "locale", "smsSenderId", "smsMostDollars", "smsCeilings", "mailCeilings"],
    table: ["GetItem", "UpdateItem"],
    guarded: ["LIMIT#", "LOGIN#", "PIN#", "USER#"],
  },
  "notify-password-changed": {
    area: "workers",
    impact: "Users do not learn of a new password or API key, and miss it if a thief made it.",
    sendsMessages: true,
    settings: ["serviceName", "locale", "smsSenderId", "smsMostDollars", "smsCeilings"],
    table: ["GetItem", "UpdateItem"],
    guarded: ["LIMIT#", "USER#"],
  },
  "keep-history": {
    area: "workers",
    impact: "The history of records lacks the last changes.",
    readsStream: true,
    timeoutSeconds: 60,
    settings: ["historyDays"],
    table: ["BatchWriteItem", "Query"],
    guarded: ["HISTORY#"],
  },
  notify: {
    area: "workers",
    impact: "Nobody is notified of new jobs, paid timesheets, invoices, changed passwords or API keys.",
    readsStream: true,
    sendsTo: ["notices", "notifications", "pushes", "events"],
    timeoutSeconds: 60,
    settings: ["platformApplications"],
  },
  "deliver-notifications": {
    area: "workers",
    impact: "Nobody is notified of anything new.",
    sendsTo: ["notifications"],
    mayCallItself: true,
    timeoutSeconds: 60,
    indexes: ["by-mark"],
    table: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "ConditionCheckItem"],
    guarded: ["USER#"],
  },
  "send-pushes": {
    area: "workers",
    impact: "Phones stay silent: notifications are seen only when an app is opened.",
    pushesToDevices: true,
    timeoutSeconds: 60,
    settings: ["platformApplications", "locale"],
    table: ["GetItem", "Query", "UpdateItem", "DeleteItem"],
    guarded: ["USER#"],
  },
  "send-events": {
    area: "workers",
    impact: "Other systems do not learn of what happens here; users lose nothing.",
    putsEvents: true,
  },
  intake: {
    area: "workers",
    impact: "What other systems change does not arrive: records are out of date.",
    sendsTo: ["notifications"],
    timeoutSeconds: 60,
    settings: ["defaultCountry", "businessTimeZone"],
    table: ["BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"],
    guarded: ["USER#"],
  },
  "refresh-totals": {
    area: "workers",
    impact: "With many companies, admins see no list unless they filter it by a company.",
    timeoutSeconds: 60,
    memoryMegabytes: 2048,
    indexes: ["by-mark", "by-total"],
    table: ["UpdateItem"],
  },
  "mark-overdue": {
    area: "workers",
    impact: "Invoices that are overdue are shown as pending.",
    // The run itself waits until the new day has begun on every clock.
    daily: { hour: 0, minute: 0 },
    timeoutSeconds: 900,
    settings: ["businessTimeZone"],
    indexes: ["by-mark"],
    table: ["BatchGetItem", "PutItem", "UpdateItem"],
  },
  "rotate-signing-key": {
    area: "workers",
    impact: "Users lose nothing yet, but access tokens go on being signed with an old key.",
    daily: { hour: 3, minute: 0, timeZone: "Etc/UTC" },
    rotatesSigningKeys: true,
    table: ["PutItem", "UpdateItem", "Query"],
    guarded: ["KEYS"],
  },
} satisfies Readonly<Record<string, FunctionRow>>;

/** The functions that are no operations: what refuses unknown routes, the documentation page, and the workers. */
export type ServiceFunctionName = keyof typeof rows;

/** Every function that is no operation, and what it may touch. */
export const workerRows: Readonly<Record<ServiceFunctionName, FunctionRow>> = rows;

import type { OperationName } from "../../shared/contract/operations.ts";
import { everyoneTheirOwn, type FunctionRow, type OperationRow } from "./function-row.ts";
import { type ServiceFunctionName, workerRows } from "./worker-rows.ts";

export type FunctionName = OperationName | ServiceFunctionName;

/** The rows of both forms of a confirmation, by link and by body (D13). */
const confirmation = {
  area: "accounts",
  access: "anyone",
  readsHmacKey: true,
  readsClientAddress: true,
  settings: ["defaultCountry"],
  table: ["GetItem", "Query", "PutItem", "UpdateItem"],
  guarded: ["LIMIT#", "LOGIN#", "PIN#", "RESET#", "USER#"],
} satisfies Omit<OperationRow, "impact">;

/** Every operation with its callers and rights. An operation without a row does not compile. */
export const operationRows: Readonly<Record<OperationName, OperationRow>> = {
  "request-password-reset": {
    area: "accounts",
    impact: "Nobody who forgot a password can ask for a pin.",
    pages: true,
    access: "anyone",
    readsHmacKey: true,
    readsClientAddress: true,
    sendsTo: ["pins"],
    settings: ["defaultCountry", "servedCountries", "recoveryDisclosure"],
    table: ["GetItem", "UpdateItem"],
    guarded: ["LIMIT#", "LOGIN#", "PIN#", "RESET#", "USER#"],
  },
  "confirm-login": {
    ...confirmation,
    impact: "Pins are not taken: nobody can reset a password or finish registering through the link.",
  },
  "sign-in": {
    area: "sessions",
    impact: "Nobody can sign in; those who are signed in stay so.",
    pages: true,
    access: "anyone",
    canary: true,
    memoryMegabytes: 1024,
    signsTokens: true,
    readsHmacKey: true,
    readsClientAddress: true,
    settings: ["defaultCountry"],
    table: ["GetItem", "PutItem", "UpdateItem"],
    guarded: ["LIMIT#", "LOGIN#", "PASSWORD#", "RESET#", "USER#"],
  },
  "refresh-token": {
    area: "sessions",
    impact: "Everyone is signed out within 15 minutes and has to sign in again.",
    pages: true,
    access: "anyone",
    canary: true,
    signsTokens: true,
    readsHmacKey: true,
    table: ["GetItem", "Query", "UpdateItem", "DeleteItem"],
    guarded: ["LIMIT#", "USER#"],
  },
  "sign-out": {
    area: "sessions",
    impact: "Signing out does not end the session: a stolen device stays signed in.",
    access: everyoneTheirOwn,
    table: ["Query", "UpdateItem", "DeleteItem"],
    guarded: ["USER#"],
  },
  "list-sessions": {
    area: "sessions",
    impact: "Nobody sees where they are signed in.",
    access: everyoneTheirOwn,
    table: ["GetItem", "Query"],
    guarded: ["USER#"],
  },
  "end-session": {
    area: "sessions",
    impact: "Nobody can sign a lost device out from another one.",
    access: everyoneTheirOwn,
    table: ["GetItem", "Query", "UpdateItem", "DeleteItem"],
    guarded: ["USER#"],
  },
  "set-password": {
    area: "accounts",
    impact: "Nobody can set a password: resets stop at their last step.",
    access: "anyone",
    memoryMegabytes: 1024,
    table: ["GetItem", "PutItem", "UpdateItem"],
    guarded: ["PASSWORD#", "RESET#", "USER#"],
  },
  "register-user": {
    area: "accounts",
    impact: "Nobody new can register.",
    access: "anyone",
    readsHmacKey: true,
    readsClientAddress: true,
    sendsTo: ["pins"],
    settings: ["defaultCountry", "servedCountries", "registration"],
    table: ["GetItem", "UpdateItem"],
    guarded: ["LIMIT#", "PIN#"],
  },
  "confirm-login-by-body": {
    ...confirmation,
    impact: "Pins are not taken: nobody can reset a password or finish registering.",
  },
  "get-profile": {
    area: "accounts",
    impact: "Nobody sees their own profile; apps that start with it do not start.",
    access: everyoneTheirOwn,
    table: ["GetItem"],
    guarded: ["USER#"],
  },
  "bulk-update-timesheets": {
    area: "finance",
    impact: "Admins and operators cannot mark timesheets as paid or pending.",
    access: { admin: "all", operator: "company" },
    canary: true,
    readsHmacKey: true,
    table: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    guarded: ["CHANGE#", "LIMIT#", "PASSCODE#", "USER#"],
  },
  "list-invoices": {
    area: "finance",
    impact: "Nobody sees their company's invoices.",
    timeoutSeconds: 28,
    access: { admin: "all", operator: "company", client: "company" },
    canary: true,
    table: ["BatchGetItem", "Query"],
    indexes: ["by-state", "by-company", "by-month", "by-company-month", "by-mark", "by-total"],
  },
  "list-timesheets": {
    area: "finance",
    impact: "Admins and operators see no list of timesheets, and drivers none of their own.",
    access: { admin: "all", operator: "company", driver: "own" },
    canary: true,
    table: ["GetItem", "BatchGetItem", "Query"],
    guarded: ["USER#"],
    indexes: ["by-state", "by-company", "by-month", "by-company-month", "by-mark", "by-total"],
  },
  "list-jobs": {
    area: "jobs",
    impact: "Admins and operators see no list of jobs.",
    access: { admin: "all", operator: "company" },
    canary: true,
    table: ["Query"],
    indexes: ["by-state", "by-company", "by-total"],
  },
  "list-companies": {
    area: "companies",
    impact: "Admins cannot look up the companies that lists are filtered by.",
    access: { admin: "all" },
    table: ["BatchGetItem"],
    indexes: ["by-mark"],
  },
  "adjust-job-timers": {
    area: "jobs",
    impact: "Admins cannot set until when jobs are offered.",
    access: { admin: "all" },
    readsHmacKey: true,
    table: ["GetItem", "BatchGetItem", "PutItem", "ConditionCheckItem"],
    guarded: ["CHANGE#", "USER#"],
  },
  "undo-change": {
    area: "changes",
    impact: "Admins and operators cannot undo what they have just marked or set.",
    access: { admin: "all", operator: "company" },
    readsHmacKey: true,
    timeoutSeconds: 25,
    table: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"],
    guarded: ["CHANGE#", "LIMIT#", "PASSCODE#", "USER#"],
  },
  "list-notifications": {
    area: "notifications",
    impact: "Nobody sees their notifications.",
    access: everyoneTheirOwn,
    canary: true,
    settings: ["locale"],
    table: ["GetItem", "Query"],
    guarded: ["USER#"],
  },
  "register-device-token": {
    area: "devices",
    impact: "Devices that are new or were set up again get no pushes.",
    access: everyoneTheirOwn,
    table: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    guarded: ["USER#"],
  },
  "list-device-tokens": {
    area: "devices",
    impact: "Nobody sees which of their devices get pushes.",
    access: everyoneTheirOwn,
    table: ["GetItem", "Query"],
    guarded: ["USER#"],
  },
  "remove-device-token": {
    area: "devices",
    impact: "Devices that were signed out of keep getting their former user's pushes.",
    access: everyoneTheirOwn,
    table: ["GetItem", "Query", "UpdateItem", "DeleteItem"],
    guarded: ["USER#"],
  },
  "mark-notifications": {
    area: "notifications",
    impact: "Notifications cannot be marked as read: the badges do not go down.",
    access: everyoneTheirOwn,
    canary: true,
    settings: ["locale"],
    timeoutSeconds: 29,
    indexes: ["by-mark"],
    table: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"],
    guarded: ["USER#"],
  },
  "get-unread-counts": {
    area: "notifications",
    impact: "Apps show no number of unread notifications.",
    access: everyoneTheirOwn,
    table: ["GetItem"],
    guarded: ["USER#"],
  },
  "list-changes": {
    area: "changes",
    impact: "Nobody sees who changed a record.",
    access: { admin: "all", operator: "company" },
    readsHmacKey: true,
    table: ["GetItem", "BatchGetItem", "Query"],
    indexes: ["by-state", "by-company", "by-month"],
    guarded: ["HISTORY#", "USER#"],
  },
  "get-key-set": {
    area: "service",
    impact: "Other systems cannot verify the service's access tokens.",
    access: "anyone",
    readsPublicKeys: true,
  },
  "get-health": {
    area: "service",
    impact: "Monitors from outside take the service for dead.",
    access: "anyone",
    readsPublicKeys: true,
  },
  "get-openapi": {
    area: "service",
    impact: "Developers of apps cannot fetch the description of the interface.",
    access: "anyone",
  },
  "get-job": {
    area: "jobs",
    impact: "A job cannot be opened: notifications of jobs lead nowhere.",
    access: { admin: "all", operator: "company" },
    table: ["GetItem"],
  },
  "get-invoice": {
    area: "finance",
    impact: "An invoice cannot be opened: notifications of invoices lead nowhere.",
    access: { admin: "all", operator: "company", client: "company" },
    table: ["GetItem"],
  },
  "get-timesheet": {
    area: "finance",
    impact: "Admins, operators and drivers cannot open a timesheet.",
    access: { admin: "all", operator: "company", driver: "own" },
    table: ["GetItem"],
    guarded: ["USER#"],
  },
};

/**
 * Every function with its rights. Each operation with callers' roles verifies access tokens, and each operation checks
 * the names of parameters.
 */
export const functions = {
  ...(Object.fromEntries(Object.entries(operationRows).map(withRequests)) as typeof operationRows),
  ...workerRows,
} satisfies Readonly<Record<FunctionName, FunctionRow>>;

function withRequests([name, { settings = [], ...row }]: [string, OperationRow]): [string, OperationRow] {
  const verification = row.access === "anyone" ? {} : ({ verifiesTokens: true } as const);
  return [name, { settings: [...settings, "unknownParameters"], ...row, ...verification }];
}

import type { OperationName } from "../shared/contract/operations.ts";

/** The DynamoDB actions functions are given, one by one. A transaction needs those of its writes. */
export type TableAction = "GetItem" | "BatchGetItem" | "Query" | "PutItem" | "UpdateItem" | "DeleteItem";

/** The indexes of the table. */
export type TableIndex = "by-state" | "by-company";

/** What one function may touch; everything else is denied. */
export interface FunctionRow {
  /** Folder of the function's file under `functions/`. */
  readonly room: "finance" | "jobs" | "users" | "service" | "workers";
  readonly table?: readonly TableAction[];
  /** Actions instead of `table` in a stage that discloses stored users to a password request (D12). */
  readonly tableWhenDisclosed?: readonly TableAction[];
  /** Indexes that it queries. */
  readonly indexes?: readonly TableIndex[];
  /** True where it verifies access tokens: reads the public keys and knows issuer and audience. */
  readonly verifiesTokens?: true;
  /** True where it reads the key for HMACs. */
  readonly readsHmacKey?: true;
  /** True where it queues requests for pins. */
  readonly queuesPins?: true;
  /** True where it sends e-mail and SMS. */
  readonly sendsMessages?: true;
  /** True where it reads logins: phone numbers need the stage's countries. */
  readonly readsLogins?: true;
}

/** The functions that no route names: what refuses unknown routes, and the workers. */
export type ServiceFunctionName = "refuse-unrouted" | "deliver-pin";

/** The name of any function. */
export type FunctionName = OperationName | ServiceFunctionName;

/** Every function and what it may touch. An operation without a row does not compile. */
export const functions: Readonly<Record<FunctionName, FunctionRow>> = {
  "bulk-update-timesheets": { room: "finance", verifiesTokens: true, table: ["BatchGetItem", "UpdateItem"] },
  "list-invoices": { room: "finance", verifiesTokens: true, indexes: ["by-state", "by-company"] },
  "adjust-job-timers": { room: "jobs", verifiesTokens: true, table: ["BatchGetItem", "UpdateItem"] },
  "request-password-reset": {
    room: "users",
    readsLogins: true,
    readsHmacKey: true,
    queuesPins: true,
    tableWhenDisclosed: ["GetItem"],
  },
  "confirm-login": {
    room: "users",
    readsLogins: true,
    readsHmacKey: true,
    table: ["GetItem", "PutItem", "UpdateItem"],
  },
  "list-notifications": { room: "users", verifiesTokens: true, table: ["GetItem", "Query"] },
  "register-device-token": {
    room: "users",
    verifiesTokens: true,
    table: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
  },
  "get-unread-counts": { room: "users", verifiesTokens: true, table: ["GetItem"] },
  "get-health": { room: "service" },
  "refuse-unrouted": { room: "service" },
  "deliver-pin": { room: "workers", readsHmacKey: true, sendsMessages: true, table: ["GetItem", "UpdateItem"] },
};

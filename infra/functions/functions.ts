import type { OperationName } from "../../shared/contract/operations.ts";

/** The DynamoDB actions functions are given, one by one. A transaction needs those of its writes. */
export type TableAction =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "Scan"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "ConditionCheckItem";

/** The indexes of the table. */
export type TableIndex = "by-state" | "by-company" | "by-month" | "by-company-month" | "by-mark";

/** The areas of the service: each is a folder of functions, of their sample events and of their tests. */
export type Area = "accounts" | "sessions" | "notifications" | "devices" | "finance" | "jobs" | "service" | "workers";

/** The settings of a stage that functions are given by name; `shared/settings.ts` reads them. */
export type StageSetting =
  | "SERVICE_NAME"
  | "DEFAULT_COUNTRY"
  | "SERVED_COUNTRIES"
  | "RECOVERY_DISCLOSURE"
  | "REGISTRATION"
  | "SMS_PER_HOUR"
  | "SMS_PER_DAY"
  | "BUSINESS_TIME_ZONE"
  | "PLATFORM_APPLICATIONS";

/** What one function may touch; everything else is denied. */
export interface FunctionRow {
  /** Folder of the function's file under `functions/`. */
  readonly area: Area;
  /** Memory, and CPU with it; 512 where a row says nothing. Hashing a password wants more of both, as does the whole table. */
  readonly memoryMegabytes?: 1024 | 2048;
  readonly table?: readonly TableAction[];
  /** Indexes that it queries. */
  readonly indexes?: readonly TableIndex[];
  /** True where it verifies access tokens: reads the public keys and knows issuer and audience. */
  readonly verifiesTokens?: true;
  /** True where it reads the public keys to show them. */
  readonly readsPublicKeys?: true;
  /** True where it signs access tokens: reads the private keys and knows issuer and audience. */
  readonly signsTokens?: true;
  /** True where it makes the private keys and stores them. */
  readonly rotatesSigningKeys?: true;
  /** True where it reads the key for HMACs: of pins, passcodes, and the subjects of throttles. */
  readonly readsHmacKey?: true;
  /** True where it queues requests for pins. */
  readonly queuesPins?: true;
  /** True where it queues requests to tell a user something. */
  readonly queuesNotices?: true;
  /** True where it sends e-mail and SMS. */
  readonly sendsMessages?: true;
  /** True where it queues notifications to be delivered. */
  readonly queuesNotifications?: true;
  /** True where it queues notifications to be pushed to devices. */
  readonly queuesPushes?: true;
  /** True where it pushes to devices through the stage's platform applications. */
  readonly pushesToDevices?: true;
  /** True where it works off the table's stream, and sets changes aside that it cannot take. */
  readonly readsStream?: true;
  /** True where users feel a fault at once: in a canary stage, a new version takes a tenth of the calls first. */
  readonly canary?: true;
  /** Longest run in seconds; 10 where a row says nothing. */
  readonly timeoutSeconds?: number;
  /** Settings of the stage that it reads; who takes logins needs the country they are read with. */
  readonly settings?: readonly StageSetting[];
}

/** The functions that no route names: what refuses unknown routes, and the workers. */
export type ServiceFunctionName =
  | "refuse-unrouted"
  | "deliver-pin"
  | "notify-password-changed"
  | "rotate-signing-key"
  | "update-totals"
  | "notify"
  | "deliver-notifications"
  | "send-pushes"
  | "intake"
  | "mark-overdue"
  | "reconcile-totals";

/** The name of any function. */
export type FunctionName = OperationName | ServiceFunctionName;

/** Every function and what it may touch. An operation without a row does not compile. */
export const functions: Readonly<Record<FunctionName, FunctionRow>> = {
  "bulk-update-timesheets": {
    area: "finance",
    canary: true,
    verifiesTokens: true,
    readsHmacKey: true,
    table: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"],
  },
  "list-invoices": {
    area: "finance",
    canary: true,
    verifiesTokens: true,
    table: ["GetItem", "BatchGetItem", "Query"],
    indexes: ["by-state", "by-company", "by-month", "by-company-month", "by-mark"],
  },
  "list-timesheets": {
    area: "finance",
    canary: true,
    verifiesTokens: true,
    table: ["GetItem", "Query"],
    indexes: ["by-state", "by-company", "by-month", "by-company-month"],
  },
  "list-jobs": {
    area: "jobs",
    canary: true,
    verifiesTokens: true,
    table: ["GetItem"],
    indexes: ["by-state", "by-company"],
  },
  "adjust-job-timers": {
    area: "jobs",
    verifiesTokens: true,
    readsHmacKey: true,
    table: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"],
  },
  "request-password-reset": {
    area: "accounts",
    readsHmacKey: true,
    queuesPins: true,
    settings: ["DEFAULT_COUNTRY", "SERVED_COUNTRIES", "RECOVERY_DISCLOSURE"],
    table: ["GetItem", "PutItem"],
  },
  "confirm-login": {
    area: "accounts",
    readsHmacKey: true,
    settings: ["DEFAULT_COUNTRY"],
    table: ["GetItem", "PutItem", "UpdateItem"],
  },
  "list-notifications": { area: "notifications", canary: true, verifiesTokens: true, table: ["GetItem", "Query"] },
  "register-device-token": {
    area: "devices",
    verifiesTokens: true,
    table: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
  },
  "remove-device-token": { area: "devices", verifiesTokens: true, table: ["Query", "UpdateItem", "DeleteItem"] },
  "mark-notifications": {
    area: "notifications",
    verifiesTokens: true,
    readsHmacKey: true,
    timeoutSeconds: 29,
    indexes: ["by-mark"],
    table: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"],
  },
  "get-unread-counts": { area: "notifications", verifiesTokens: true, table: ["GetItem"] },
  "sign-in": {
    area: "sessions",
    canary: true,
    memoryMegabytes: 1024,
    signsTokens: true,
    readsHmacKey: true,
    settings: ["DEFAULT_COUNTRY"],
    table: ["GetItem", "PutItem", "UpdateItem", "DeleteItem"],
  },
  "refresh-token": {
    area: "sessions",
    canary: true,
    signsTokens: true,
    readsHmacKey: true,
    table: ["GetItem", "UpdateItem", "DeleteItem"],
  },
  "sign-out": { area: "sessions", verifiesTokens: true, table: ["DeleteItem"] },
  "set-password": {
    area: "accounts",
    memoryMegabytes: 1024,
    queuesNotices: true,
    table: ["GetItem", "UpdateItem", "DeleteItem"],
  },
  "register-user": {
    area: "accounts",
    memoryMegabytes: 1024,
    readsHmacKey: true,
    queuesPins: true,
    settings: ["DEFAULT_COUNTRY", "SERVED_COUNTRIES", "REGISTRATION"],
    table: ["GetItem", "PutItem"],
  },
  "confirm-login-by-body": {
    area: "accounts",
    readsHmacKey: true,
    settings: ["DEFAULT_COUNTRY"],
    table: ["GetItem", "PutItem", "UpdateItem"],
  },
  "get-profile": { area: "accounts", verifiesTokens: true, table: ["GetItem"] },
  "get-key-set": { area: "service", readsPublicKeys: true },
  "get-health": { area: "service" },
  "get-openapi": { area: "service" },
  "refuse-unrouted": { area: "service", settings: ["REGISTRATION"] },
  "deliver-pin": {
    area: "workers",
    readsHmacKey: true,
    sendsMessages: true,
    settings: ["SERVICE_NAME", "SMS_PER_HOUR", "SMS_PER_DAY"],
    table: ["GetItem", "UpdateItem"],
  },
  "notify-password-changed": {
    area: "workers",
    sendsMessages: true,
    settings: ["SERVICE_NAME", "SMS_PER_HOUR", "SMS_PER_DAY"],
    table: ["GetItem", "UpdateItem"],
  },
  "update-totals": {
    area: "workers",
    readsStream: true,
    timeoutSeconds: 60,
    table: ["BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  },
  notify: {
    area: "workers",
    readsStream: true,
    queuesNotifications: true,
    queuesPushes: true,
    timeoutSeconds: 60,
    settings: ["PLATFORM_APPLICATIONS"],
  },
  "deliver-notifications": {
    area: "workers",
    queuesNotifications: true,
    timeoutSeconds: 60,
    indexes: ["by-mark"],
    table: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"],
  },
  "send-pushes": {
    area: "workers",
    pushesToDevices: true,
    timeoutSeconds: 60,
    settings: ["PLATFORM_APPLICATIONS"],
    table: ["GetItem", "Query", "UpdateItem", "DeleteItem"],
  },
  intake: {
    area: "workers",
    queuesNotifications: true,
    timeoutSeconds: 60,
    settings: ["DEFAULT_COUNTRY", "BUSINESS_TIME_ZONE"],
    table: ["BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  },
  "mark-overdue": {
    area: "workers",
    timeoutSeconds: 900,
    settings: ["BUSINESS_TIME_ZONE"],
    indexes: ["by-mark"],
    table: ["BatchGetItem", "UpdateItem"],
  },
  "reconcile-totals": { area: "workers", memoryMegabytes: 2048, timeoutSeconds: 900, table: ["Scan"] },
  "rotate-signing-key": { area: "workers", rotatesSigningKeys: true, table: ["PutItem", "UpdateItem"] },
};

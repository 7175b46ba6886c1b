import type { Role } from "../../shared/contract/operation.ts";

/** The DynamoDB actions functions are given, one by one. A transaction needs those of its writes. */
export type TableAction =
  | "GetItem"
  | "BatchGetItem"
  | "BatchWriteItem"
  | "Query"
  | "Scan"
  | "PutItem"
  | "BatchWriteItem"
  | "UpdateItem"
  | "DeleteItem"
  | "ConditionCheckItem";

/** The indexes of the table. */
export type TableIndex = "by-state" | "by-company" | "by-month" | "by-company-month" | "by-mark";

/**
 * The partitions of the table that say who may come in and who changed what, by the start of their key: the history, its places, public
 * signing keys, logins with their pins, who made which access token, hashes of passcodes and of passwords, reset tokens, failed tries, users
 * with sessions and what is only theirs, and which webhooks are disabled. A function that is taken over reaches by key those alone
 * that its row names. What scans or `readsStream` reads them all: `reconcile-totals`, `notify` and `update-totals`.
 */
export const guardedPartitions = [
  "CHANGES#",
  "HISTORY#",
  "KEYS",
  "LOGIN#",
  "MINTED",
  "PASSCODE#",
  "PASSWORD#",
  "RESET#",
  "THROTTLE#",
  "USER#",
  "WEBHOOK#",
] as const;

/** One of the guarded partitions. */
export type GuardedPartition = (typeof guardedPartitions)[number];

/** The areas that have operations: each is a file of the contract, and a folder of functions, events and tests. */
export const operationAreas = [
  "accounts",
  "sessions",
  "notifications",
  "devices",
  "finance",
  "jobs",
  "changes",
  "service",
] as const;

/** An area that has operations. */
export type OperationArea = (typeof operationAreas)[number];

/** The areas of the service: those of operations, and the workers. */
export type Area = OperationArea | "workers";

/** The settings of a stage that functions are given by name; `shared/settings.ts` reads them. */
export type StageSetting =
  | "SERVICE_NAME"
  | "LOCALE"
  | "DEFAULT_COUNTRY"
  | "SERVED_COUNTRIES"
  | "RECOVERY_DISCLOSURE"
  | "REGISTRATION"
  | "UNKNOWN_PARAMETERS"
  | "SMS_SENDER_ID"
  | "SMS_MOST_DOLLARS"
  | "SMS_PER_HOUR"
  | "SMS_PER_DAY"
  | "BUSINESS_TIME_ZONE"
  | "HISTORY_DAYS"
  | "PLATFORM_APPLICATIONS"
  | "WEBHOOKS"
  | "SANDBOX";

/** What one function may touch; everything else is denied. */
export interface FunctionRow {
  /** Folder of the function's file under `functions/`. */
  readonly area: Area;
  /** One sentence: what people cannot do while it fails. Its alarm says so. */
  readonly impact: string;
  /** True where its failures cannot wait for the morning: users are shut out. */
  readonly pages?: true;
  /**
   * Memory, and CPU with it; 512 where a row says nothing. Hashing a password wants more of both, as does the whole table; what
   * waits most of its time wants less.
   */
  readonly memoryMegabytes?: 128 | 1024 | 2048;
  readonly table?: readonly TableAction[];
  /** The guarded partitions that these actions reach; a scan reaches all. */
  readonly guarded?: readonly GuardedPartition[];
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
  /** True where it reads the key for HMACs, of whatever `shared/domain/hmac-key.ts` names as a purpose. */
  readonly readsHmacKey?: true;
  /** True where it gives the stage's test logins their pin, if it has any. */
  readonly readsSandboxPin?: true;
  /** True where it limits clients by their address, which the stage's edge may say. */
  readonly readsClientAddress?: true;
  /** True where it queues requests for pins. */
  readonly queuesPins?: true;
  /** True where it queues notices to users. */
  readonly queuesNotices?: true;
  /** True where it sends e-mail and SMS. */
  readonly sendsMessages?: true;
  /** True where it queues notifications to be delivered. */
  readonly queuesNotifications?: true;
  /** True where it queues notifications to be pushed to devices. */
  readonly queuesPushes?: true;
  /** True where it queues events for other systems, in a stage that sends any. */
  readonly queuesEvents?: true;
  /** True where it puts events on the outbound bus: one function alone may. */
  readonly putsEvents?: true;
  /** True where it delivers events to the stage's webhooks, and keeps which of them fail: of the table it reaches that alone. */
  readonly deliversWebhooks?: true;
  /** True where it pushes to devices through the stage's platform applications. */
  readonly pushesToDevices?: true;
  /**
   * True where it consumes the table's stream, and quarantines changes that it cannot take. Its right is to the images of every
   * item, those of guarded partitions included.
   */
  readonly readsStream?: true;
  /** True where it asks how many shards the table's stream has. It reads none. */
  readonly countsShards?: true;
  /** True where users feel a fault at once: in a canary stage, a new version takes a tenth of the calls first. */
  readonly canary?: true;
  /**
   * True where its own messages lead to calls of it again, and a test counts that they end. Lambda stops such a chain after 16
   * calls otherwise, and its last message is lost to the dead letters.
   */
  readonly mayCallItself?: true;
  /** True where it calls itself for parts of its work, which call nothing, and waits for their answers. */
  readonly callsItself?: true;
  /** Longest run in seconds; 20 where a row says nothing. */
  readonly timeoutSeconds?: number;
  /** Settings of the stage that it reads; who takes logins needs the country they are read with. */
  readonly settings?: readonly StageSetting[];
}

/** How far a role reaches: the records of every company, of the caller's own company, or the caller's own alone (D2). */
export type Reach = "all" | "company" | "own";

/** The row of an operation. */
export interface OperationRow extends FunctionRow {
  readonly area: OperationArea;
  /**
   * Who may call it, and how far each role reaches; roles that are not named are refused (D3). Kept apart from the
   * contract's entry: the access suite holds the service against this, and the contract against it.
   */
  readonly access: "anyone" | Partial<Readonly<Record<Role, Reach>>>;
}

/** Every role may call it, for the caller's own records alone. */
export const everyoneTheirOwn = { admin: "own", operator: "own", client: "own", driver: "own" } as const;

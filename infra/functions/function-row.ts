import type { Role } from "../../shared/contract/operation.ts";
import type { QueueName, StageSetting } from "../../shared/run/settings.ts";

/** The DynamoDB actions that functions may get. A transaction needs those of its writes. */
export type TableAction =
  | "GetItem"
  | "BatchGetItem"
  | "BatchWriteItem"
  | "Query"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "ConditionCheckItem";

/** The indexes of the table. */
export const tableIndexes = ["by-state", "by-company", "by-month", "by-company-month", "by-mark", "by-total"] as const;

export type TableIndex = (typeof tableIndexes)[number];

/**
 * The partitions of the table and its indexes that say who may come in and who changed what, by the start of their key: the
 * history, public signing keys, what limits count, logins, hashes of passcodes and of passwords, pins, reset tokens, and users
 * with sessions, API keys and what is only theirs. A function that is taken over reaches by key those alone that its row names. What `readsStream` reads them all: `notify` and `keep-history`.
 */
export const guardedPartitions = [
  "CHANGE#",
  "HISTORY#",
  "KEYS",
  "LIMIT#",
  "LOGIN#",
  "PASSCODE#",
  "PASSWORD#",
  "PIN#",
  "RESET#",
  "USER#",
] as const;

export type GuardedPartition = (typeof guardedPartitions)[number];

/** The areas with operations: each is a file of the contract, and a folder of functions, events and tests. */
export const operationAreas = [
  "accounts",
  "sessions",
  "api-keys",
  "companies",
  "notifications",
  "devices",
  "finance",
  "jobs",
  "changes",
  "service",
] as const;

export type OperationArea = (typeof operationAreas)[number];

/** The areas of the service: those of operations, and the workers. */
export type Area = OperationArea | "workers";

/** A time of day in a time zone: the IANA name, or that of the business by default. */
export interface DailyTime {
  readonly hour: number;
  readonly minute: number;
  readonly timeZone?: string;
}

/** The rights of one function; everything else is denied. */
export interface FunctionRow {
  /** Folder of the function's file under `functions/`. */
  readonly area: Area;
  /** One sentence: the things people cannot do while it fails. It is part of the alarm's text. */
  readonly impact: string;
  /** True if its failures cannot wait for the morning, because users cannot sign in. */
  readonly pages?: true;
  /** Memory, and CPU with it; 512 by default. Hashing a password and reading whole lists need more of both. */
  readonly memoryMegabytes?: 1024 | 2048;
  readonly table?: readonly TableAction[];
  /** The guarded partitions that these actions may reach. */
  readonly guarded?: readonly GuardedPartition[];
  /** Indexes that it queries, beside actions on the table. */
  readonly indexes?: readonly TableIndex[];
  /**
   * True if it verifies access tokens and API keys: it reads the public keys, users and their API keys, and knows issuer and
   * audience.
   */
  readonly verifiesTokens?: true;
  /** True if it answers otherwise on a stage with an external issuer. Those that verify access tokens know it as well. */
  readonly knowsIssuer?: true;
  /** True if it reads the public keys to publish them. */
  readonly readsPublicKeys?: true;
  /** True if it signs access tokens: it reads the private keys and knows issuer and audience. */
  readonly signsTokens?: true;
  /** True if it creates and stores the private keys. */
  readonly rotatesSigningKeys?: true;
  /** True if it reads the key for HMACs of any purpose in `shared/tokens/secrets.ts`. */
  readonly readsHmacKey?: true;
  /** True if it limits clients by their address, which the stage's edge may send. */
  readonly readsClientAddress?: true;
  /** The queues that it sends messages to, as far as the stage has them. */
  readonly sendsTo?: readonly QueueName[];
  /** True if it sends e-mail and SMS. */
  readonly sendsMessages?: true;
  /** True if it puts events on the outbound bus; only one function may. */
  readonly putsEvents?: true;
  /** True if it pushes to devices through the stage's platform applications. */
  readonly pushesToDevices?: true;
  /**
   * True if it consumes the table's stream and quarantines the records it fails on. It sees the images of every item,
   * including guarded partitions.
   */
  readonly readsStream?: true;
  /** The time at which it is called every day. An alarm notices a missed run; the role on call may then invoke it. */
  readonly daily?: DailyTime;
  /** True if users notice a fault at once: in a canary stage, a new version first takes a tenth of the calls. */
  readonly canary?: true;
  /**
   * True if its own messages lead to further calls of it, and a test shows that they end. Otherwise Lambda stops such a
   * chain after 16 calls and moves its last message to the dead letters.
   */
  readonly mayCallItself?: true;
  /** Timeout in seconds; 20 by default. */
  readonly timeoutSeconds?: number;
  /** Settings of the stage that it reads. A function that parses logins needs the default country. */
  readonly settings?: readonly StageSetting[];
}

/** The reach of a role: the records of every company, of the caller's own company, or only the caller's own (D2). */
export type Reach = "all" | "company" | "own";

export interface OperationRow extends FunctionRow {
  readonly area: OperationArea;
  /**
   * The roles that may call it, and the reach of each; all other roles are refused (D3). It is independent of the
   * contract's entry: the access suite tests the service against this, and the contract against it.
   */
  readonly access: "anyone" | Partial<Readonly<Record<Role, Reach>>>;
}

/** Every role may call it, for its own records only. */
export const everyoneTheirOwn = { admin: "own", operator: "own", client: "own", driver: "own" } as const;

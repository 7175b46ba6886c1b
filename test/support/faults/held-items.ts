import {
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll } from "vitest";
import { chanceOf } from "../../../infra/local/demo/demo-chance.ts";
import { sleep } from "../../../shared/run/backoff.ts";
import { tableClient } from "../../../shared/table/table.ts";

/** One write of a transaction. */
export type HeldWrite = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** The settings of a table whose transactions hold their items for a while. */
export interface Holding {
  /** The same seed draws the same times, in the order in which transactions begin. */
  readonly seed?: number;
  readonly leastMs?: number;
  readonly mostMs?: number;
  /** Changes a transaction before it is carried out, so that a test can show what other transactions would meet. */
  readonly rewrite?: (write: HeldWrite) => HeldWrite;
  /** True if transactions take their time and do not reach the table: a model of conflicts needs none. */
  readonly isModel?: boolean;
}

/** A table that cancels what meets a transaction under way, as DynamoDB does; local engines carry out one after the other. */
export interface HeldItems {
  /** The transactions since the last `begin`. */
  readonly figures: { transactions: number; cancelled: number };
  /** Begins to hold items; until then, and after `end`, every call passes. */
  begin(holding?: Holding): void;
  end(): void;
}

/** A cancelled transaction still has the items that it took before it met a held one. */
const cancelledMs = 8;
const usual: Required<Holding> = { seed: 1, leastMs: 10, mostMs: 50, rewrite: (write) => write, isModel: false };

/**
 * Stands between the service's client and the engine of a test file: each item of a transaction is held for its time, and a transaction that
 * meets a held item is cancelled with `TransactionConflict`; a single write that does gets a `TransactionConflictException`. Reads pass,
 * except those of a transaction. Call it after `useService`.
 */
export function useHeldItems(): HeldItems {
  const held = new Set<string>();
  const underWay = new Set<string>();
  const figures = { transactions: 0, cancelled: 0 };
  let holding: Required<Holding> | undefined;
  let chance = chanceOf(usual.seed);
  const name = "held-items";

  const meet = (items: readonly string[]): number[] => items.flatMap((item, at) => (held.has(item) ? [at] : []));
  const holdFor = async (items: readonly string[], work: () => Promise<unknown>) => {
    for (const item of items) held.add(item);
    try {
      return await work();
    } finally {
      for (const item of items) held.delete(item);
    }
  };
  const carryOut = async (items: readonly string[], milliseconds: number, send: () => Promise<unknown>) => {
    figures.transactions += 1;
    const met = meet(items);
    if (met.length === 0) {
      return holdFor(items, async () => {
        await sleep(milliseconds);
        return send();
      });
    }
    figures.cancelled += 1;
    await holdFor(items.slice(0, met[0]), () => sleep(cancelledMs));
    throw cancelled(items.length, met);
  };
  const sendTransaction = async (
    {
      TransactItems: writes = [],
      ClientRequestToken: token = crypto.randomUUID(),
      ...others
    }: TransactWriteCommandInput,
    { leastMs, mostMs, rewrite, isModel }: Required<Holding>,
    send: (input: object) => Promise<unknown>,
  ) => {
    if (underWay.has(token)) throw new TransactionInProgressException({ message: "", $metadata: {} });
    underWay.add(token);
    const rewritten = writes.map(rewrite);
    const input = { ...others, TransactItems: rewritten, ClientRequestToken: token };
    const carried = () => (isModel ? Promise.resolve({ output: {}, response: {} }) : send(input));
    const taking = chance.between(leastMs, mostMs);
    return carryOut(rewritten.map(itemOf), taking, carried).finally(() => underWay.delete(token));
  };

  beforeAll(() => {
    tableClient().middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (!holding) return next(args);
          const input = args.input as Partial<Input>;
          const send = (changed: object) => next({ ...args, input: changed as never });
          if (commandName === "TransactWriteItemsCommand") {
            return (await sendTransaction(args.input as TransactWriteCommandInput, holding, send)) as never;
          }
          if (commandName === "TransactGetItemsCommand") {
            const items = (input.TransactItems ?? []).map(itemOf);
            const met = meet(items);
            if (met.length > 0) throw cancelled(items.length, met);
          }
          if (singleWrites.has(String(commandName)) && meet([nameOf(input.Item ?? input.Key)]).length > 0) {
            throw new TransactionConflictException({ message: "", $metadata: {} });
          }
          return next(args);
        },
      { step: "initialize", priority: "high", name },
    );
  });
  afterAll(() => void tableClient().middlewareStack.remove(name));
  return {
    figures,
    begin(wanted = {}) {
      Object.assign(figures, { transactions: 0, cancelled: 0 });
      const begun = { ...usual, ...wanted };
      chance = chanceOf(begun.seed);
      holding = begun;
    },
    end() {
      holding = undefined;
    },
  };
}

interface StoredKey {
  readonly pk?: string;
  readonly sk?: string;
}

/** The parts of calls that name items. */
interface Input {
  readonly Item: StoredKey;
  readonly Key: StoredKey;
  readonly TransactItems: readonly HeldWrite[];
}

const singleWrites = new Set(["PutItemCommand", "UpdateItemCommand", "DeleteItemCommand"]);

/** The key of the item that a part of a transaction is about, as `<pk> <sk>`. */
function itemOf(write: HeldWrite): string {
  const [part] = Object.values(write) as Partial<Input>[];
  return nameOf(part?.Item ?? part?.Key);
}

function nameOf({ pk, sk }: StoredKey = {}): string {
  return `${pk} ${sk}`;
}

function cancelled(items: number, met: readonly number[]): TransactionCanceledException {
  const reasons = Array.from({ length: items }, (_, at) => ({
    Code: met.includes(at) ? "TransactionConflict" : "None",
  }));
  return new TransactionCanceledException({ message: "", CancellationReasons: reasons, $metadata: {} });
}

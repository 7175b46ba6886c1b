import { isDeepStrictEqual } from "node:util";
import { Refusal } from "../../domain/refusal.ts";
import { updateIf } from "../table/conditional-writes.ts";
import { type Entity, ItemTooNewError, versionOf } from "../table/entity.ts";
import { keyOf } from "../table/keys.ts";
import type { Migration } from "../table/migrations.ts";
import { type Pace, paces, retry } from "../table/retry.ts";
import { getItem, type Item, type Key } from "../table/table.ts";
import { transact } from "../table/transaction.ts";
import { type Changes, updateOf } from "../table/updates.ts";

/**
 * What became of an item: `newer` is of a version that this code does not have, `damaged` one that a step throws on, and
 * `contended` one that others wrote each time it was tried.
 */
export type Rewritten = "current" | "rewritten" | "gone" | "newer" | "damaged" | "contended";

/** How an item is rewritten. */
export interface RewriteOptions {
  readonly entity: Entity<object>;
  /** The migrations of the entity that are not complete. */
  readonly pending: readonly Migration[];
  readonly isDryRun: boolean;
  /** Resolves when the next write may be made. */
  readonly takeTurn: () => Promise<void>;
  /** How often an item is tried that others write meanwhile. */
  readonly pace?: Pace;
}

/**
 * Brings an item to the newest version: reads it when its turn has come, and writes the attributes that change only while
 * it is as it was read. Nobody is notified: a change of shape changes nothing that people are notified of.
 */
export async function rewriteItem(scanned: Item, options: RewriteOptions): Promise<Rewritten> {
  const first = planRewrite(scanned, options);
  if (typeof first === "string") return first;
  if (options.isDryRun) return "rewritten";
  try {
    return await retry(options.pace ?? paces.migration, () => unlessBusy(() => tryRewrite(keyOf(scanned), options)));
  } catch (error) {
    if (isBusy(error)) return "contended";
    throw error;
  }
}

async function tryRewrite(key: Key, options: RewriteOptions): Promise<Rewritten | undefined> {
  await options.takeTurn();
  const item = await getItem(key, { consistent: true });
  if (!item) return "gone";
  const plan = planRewrite(item, options);
  if (typeof plan === "string") return plan;
  return (await carryOut(plan)) ? "rewritten" : undefined;
}

async function unlessBusy<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Refusal && error.code === "busy";
}

/** The write of an item with those of the items that it is split into, or why there is none. */
function planRewrite(item: Item, options: RewriteOptions) {
  const upgraded = upgrade(item, options);
  if (typeof upgraded === "string") return upgraded;
  const { item: next, others } = options.entity.split(upgraded);
  const changed = changedNames(item, next);
  return changed.length === 0 ? "current" : { key: keyOf(item), changes: changesOf(item, next, changed), others };
}

async function carryOut({ key, changes, others }: Exclude<ReturnType<typeof planRewrite>, string>): Promise<boolean> {
  if (others.length === 0) return (await updateIf(key, changes)) !== undefined;
  return (await transact([{ Update: updateOf(key, changes) }, ...others])).length === 0;
}

/**
 * Code of the release before may have changed an item of a newer version while a deploy ran, and left behind a key that it
 * does not know: the step of a migration that is not complete is run again.
 */
function upgrade(item: Item, { entity, pending }: RewriteOptions): Item | "newer" | "damaged" {
  if (versionOf(item) > entity.version) return "newer";
  try {
    const newest: Item = { ...entity.decode(item) };
    const steps = pending.map(({ version }) => version).filter((version) => version <= versionOf(item));
    return steps.length === 0 ? newest : entity.upgradeFrom(Math.min(...steps) - 1, newest);
  } catch (error) {
    if (error instanceof ItemTooNewError) return "newer";
    return "damaged";
  }
}

function changedNames(before: Item, after: Item): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** Attributes of an item without a revision are all held to what was read: they are few. */
function changesOf(before: Item, after: Item, changed: readonly string[]): Changes {
  const held = before.revision === undefined ? Object.keys(before) : ["revision", "schema_version"];
  const guarded = [...new Set([...held, ...changed])].filter((name) => name !== "pk" && name !== "sk");
  const valuesOf = (item: Item, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, item[name]]));
  return {
    where: valuesOf(before, guarded),
    when: "attribute_exists(pk)",
    set: valuesOf(
      after,
      changed.filter((name) => after[name] !== undefined),
    ),
    remove: changed.filter((name) => after[name] === undefined),
  };
}

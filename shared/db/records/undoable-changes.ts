import type { Caller } from "../../domain/caller.ts";
import type { Change } from "../../domain/records/change.ts";
import { changeIdAt, type UndoableList } from "../../domain/records/change-id.ts";
import { listedItems, listedKey } from "../lists/listed-items.ts";
import { allOf, anyOf, isThere, lacks } from "../table/conditions.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import type { ReplacedValues, UndoableChange, UndoStamps } from "../table/undo-stamps.ts";
import { findRemovals } from "../writes/removals.ts";
import type { WriteStamps } from "../writes/write-plans.ts";

/** Most changes that a record keeps of those that began with it: only the last can be undone, the others say why not. */
const mostKept = 10;
/** A change can be undone for a day, and its request be repeated so long. */
const keptMs = 25 * 60 * 60_000;
/** Longer than queues and streams may bring a notification. */
const rememberedMs = 15 * 24 * 60 * 60_000;
const mostChains = 20;

/** A change of several records under way: what its writes say, and what the first record keeps of it. */
export interface BegunChange {
  readonly change: Change;
  readonly kept: UndoableChange;
}

/** A record, as far as a change of several says something of it. */
interface Changing extends UndoStamps {
  readonly id: number;
}

/** Makes a change one that can be undone: its id names the first of the records. */
export function beginUndoable(
  list: UndoableList,
  changing: readonly { readonly id: number }[],
  { userId: user_id, role, companyId: company_id }: Caller,
  begun: Change,
): BegunChange {
  const record_ids = changing.map(({ id }) => id);
  const change = { ...begun, id: undoableId(begun, list, record_ids[0]) };
  return { change, kept: { id: change.id, at: change.at, user_id, role, company_id, record_ids } };
}

/**
 * The change that an earlier run of the same request has made of these records: it may have ended before its answer, and what it
 * did is not done twice, whoever changed the records since (D32).
 */
export function findOwnChange(
  list: UndoableList,
  records: readonly UndoStamps[],
  own: Change,
): UndoableChange | undefined {
  const kept = records.flatMap(({ undoable = [] }) => undoable);
  return kept.find(({ id, record_ids }) => id === undoableId(own, list, record_ids[0]));
}

/** The id that a change has as the change of several records of which this is the first. */
export function undoableId({ id }: Change, list: UndoableList, recordId = 0): string {
  return changeIdAt(id, { list, recordId });
}

/** What a write of the change says in a record beside its values, so that it can be undone. */
export function stampsOf(record: Changing, { kept }: BegunChange, before: ReplacedValues["before"]): WriteStamps {
  return { changed_by: kept.user_id, undo: { before }, ...keepIn(record, kept) };
}

/** What a write says that undoes a record's last change. */
export function undoStampsOf(
  record: Changing & { readonly undo: ReplacedValues },
  { kept }: BegunChange,
  undone: UndoableChange,
  before: ReplacedValues["before"],
): WriteStamps {
  const { chain = undone.id, since = undone.at, step = 0 } = record.undo;
  const others = Object.entries(record.withdrawn ?? {}).filter(
    ([id, { at }]) => id !== chain && Date.parse(at) > Date.parse(kept.at) - rememberedMs,
  );
  const latest = others.toSorted(([, one], [, other]) => (one.at < other.at ? 1 : -1)).slice(0, mostChains - 1);
  const withdrawn = { ...Object.fromEntries(latest), [chain]: { step, at: kept.at } };
  const undoable = record.undoable?.map((each) => (each.id === undone.id ? { ...each, undone_by: kept.id } : each));
  const undo = { before, chain, since, step: step + 1 };
  const stamps = { changed_by: kept.user_id, undo, undone: undone.id, withdrawn };
  return { ...stamps, ...keepIn({ ...record, undoable }, kept) };
}

function keepIn({ id, undoable = [] }: Changing, kept: UndoableChange): UndoStamps {
  if (id !== kept.record_ids[0]) return {};
  const recent = undoable.filter(({ at }) => Date.parse(at) > Date.parse(kept.at) - keptMs);
  return { undoable: [...recent.slice(1 - mostKept), kept] };
}

/** A step of a chain of changes that undo one another, and when that began. */
interface ChainStep {
  readonly chain: string;
  readonly since: string;
  readonly step: number;
}

/**
 * The check that a record is there and that its change of that step was not undone. It fails as well where the record may have been
 * removed and made again since: revisions begin at the clock, and what was undone before that its removal alone knows.
 */
export function requireNotUndone(list: UndoableList, id: number, { chain, since, step }: ChainStep): TransactionWrite {
  const wasThereBefore = "revision < :since";
  const isNotUndone = anyOf(lacks("withdrawn.#chain"), "withdrawn.#chain.#step < :step");
  return {
    ConditionCheck: {
      Key: { ...listedKey(list, id) },
      ConditionExpression: allOf(isThere, wasThereBefore, isNotUndone),
      ExpressionAttributeNames: { "#chain": chain, "#step": "step" },
      ExpressionAttributeValues: { ":step": step, ":since": Date.parse(since) },
    },
  };
}

/** True where a record's change of that step was undone, by the record or by its removals. 2 read units. */
export async function isUndone(
  list: UndoableList,
  id: number,
  { chain, step }: Omit<ChainStep, "since">,
): Promise<boolean> {
  const key = listedKey(list, id);
  const [stored, removed] = await Promise.all([listedItems[list].find(key, { consistent: true }), findRemovals(key)]);
  const said = stored ? [stored, ...removed] : removed;
  return said.some(({ withdrawn = {} }) => (withdrawn[chain]?.step ?? -1) >= step);
}

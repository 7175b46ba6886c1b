import { deleteEndpoint } from "../../../functions/workers/push.ts";
import { emptyHistory } from "../../../functions/workers/write-history.ts";
import { findDeviceSet } from "../../../shared/notifications/devices.ts";
import { findExistingUsers, userKey } from "../../../shared/people/users.ts";
import { removeUser } from "../../../shared/people/write-user.ts";
import { historyPartition } from "../../../shared/records/history.ts";
import type { WriteContext } from "../../../shared/table/plans.ts";
import { erasedVersion } from "../../../shared/table/record-plans.ts";
import { tombstoneMark } from "../../../shared/table/table.ts";
import { allOf, deleteIf, has } from "../../../shared/table/writes.ts";
import { patiently } from "../aws/patience.ts";
import type { ErasedList } from "./erased-list.ts";
import { findPerson, type Person } from "./person.ts";
import { noTraces, type OnRead, replaceTraces, type TraceSearch, type Traces } from "./traces.ts";

/** A repeated pass finds only traces that were written meanwhile. */
const mostPasses = 10;

/** The result of forgetting a person. */
export interface Forgotten {
  readonly traces: Traces;
  readonly wasUser: boolean;
  /** ARNs of endpoints of their devices that SNS did not delete. Nothing else names them afterwards. */
  readonly endpointsLeft: readonly string[];
  /** The traces that the last pass still found, because others kept writing them. Everything else is erased. */
  readonly kept?: Traces | undefined;
}

/** The traces that would be replaced and removed; undefined if nothing is known of the user. */
export async function planToForget(id: number, list: ErasedList, onRead?: OnRead): Promise<Forgotten | undefined> {
  const person = await findKnown(id, list);
  if (!person) return undefined;
  const search = { person, isDryRun: true, timesheetIds: new Set<number>(), onRead };
  await replaceTraces(search);
  // A second pass finds traces that come before their timesheet in the table.
  return { traces: await replaceTraces(search), wasUser: person.isUser, endpointsLeft: [] };
}

/**
 * Forgets a person: adds them to the list, takes their name out of others' records, removes the user with everything
 * that is theirs, and empties their own history last. If interrupted, run it again: user, history and list still
 * identify the person. Returns undefined if nothing is known of the user. Safe beside traffic, and ends whatever others write.
 */
export async function forgetPerson(
  id: number,
  list: ErasedList,
  { now, change }: WriteContext,
  onRead?: OnRead,
): Promise<Forgotten | undefined> {
  const person = await findKnown(id, list);
  if (!person) return undefined;
  await list.add({ id, profile_ids: [...person.profiles.keys()], erased_at: now.toISOString() });
  const search = { person, isDryRun: false, timesheetIds: new Set<number>(), onRead };
  const before = await replaceAll(search);
  const endpointsLeft = await deleteEndpoints(id);
  // The first removal has no version, so that no stored version blocks it. The second stores the version that refuses
  // every line.
  const removal = { now, change: { ...change, at: new Date().toISOString() } };
  for (const version of [null, erasedVersion]) {
    await patiently(() => removeUser({ type: "user", id, deleted: true, version }, removal));
  }
  // Until the removal, the user's own actions may write the name again. If the user was already gone, nothing does.
  const after = person.isUser ? await replaceAll(search) : { traces: noTraces, kept: before.kept };
  await patiently(() => emptyHistory(historyPartition("user", id)));
  const traces = sumOf(before.traces, after.traces);
  return { traces, wasUser: person.isUser, endpointsLeft, kept: after.kept };
}

/** Deletes the SNS endpoints of a user's devices. Returns those that it could not delete, such as another account's. */
async function deleteEndpoints(userId: number): Promise<string[]> {
  const { devices } = await findDeviceSet(userId, { consistent: true });
  const endpoints = devices.flatMap(({ endpoint_arn }) => endpoint_arn ?? []);
  const deletions = await Promise.allSettled(endpoints.map(deleteEndpoint));
  return endpoints.filter((_, at) => deletions[at]?.status === "rejected");
}

/**
 * Forgets everybody on the list again, because a restored table may contain them, and blocks those it does not contain, the
 * absent ones.
 */
export async function replayErasures(list: ErasedList, context: WriteContext, onRead?: OnRead) {
  const ids = (await list.entries()).map((entry) => entry.id);
  const there = new Set(await patiently(() => findExistingUsers(ids)));
  const endpointsLeft: string[] = [];
  const unfinished: number[] = [];
  for (const id of ids) {
    // The restore also brought back others' records, even if it did not bring back the user.
    const done = await forgetPerson(id, list, context, onRead);
    endpointsLeft.push(...(done?.endpointsLeft ?? []));
    if (done?.kept) unfinished.push(id);
  }
  const [forgotten, absent] = [ids.filter((id) => there.has(id)), ids.filter((id) => !there.has(id))];
  return { forgotten, absent, endpointsLeft, unfinished };
}

/** Takes a person off the list, so that an import may bring them back; false if they are not on it. */
export async function readmit(id: number, list: ErasedList): Promise<boolean> {
  const isListed = (await list.entries()).some((entry) => entry.id === id);
  await list.remove(id);
  const isErased = allOf(has(tombstoneMark), "version = :erased");
  const ExpressionAttributeValues = { ":erased": erasedVersion };
  await deleteIf({ Key: { ...userKey(id) }, ConditionExpression: isErased, ExpressionAttributeValues });
  return isListed;
}

async function findKnown(id: number, list: ErasedList): Promise<Person | undefined> {
  const entry = (await list.entries()).find((each) => each.id === id);
  return findPerson(id, entry);
}

/** Repeats passes until one finds nothing, or for as many as there may be. */
async function replaceAll(search: TraceSearch): Promise<Pick<Forgotten, "traces" | "kept">> {
  let [traces, kept] = [noTraces, noTraces];
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const known = search.timesheetIds.size;
    kept = await replaceTraces(search);
    traces = sumOf(traces, kept);
    if (search.timesheetIds.size === known && Object.values(kept).every((count) => count === 0)) return { traces };
  }
  return { traces, kept };
}

function sumOf(one: Traces, other: Traces): Traces {
  return {
    timesheet: one.timesheet + other.timesheet,
    history: one.history + other.history,
    notification: one.notification + other.notification,
  };
}

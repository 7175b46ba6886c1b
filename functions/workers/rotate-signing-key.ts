import type { PublicJwk } from "../../shared/contract/service.ts";
import { msPerMinute } from "../../shared/contract/values.ts";
import { epochSeconds } from "../../shared/table/table.ts";
import { allOf, isThere, lacks, putIf, updateIf } from "../../shared/table/writes.ts";
import {
  findPublishedKeys,
  makeSigningKey,
  publicKeyAt,
  publicKeys,
  publicPartOf,
  readSigningKeys,
  type SigningKey,
  writeSigningKeys,
} from "../../shared/tokens/keys.ts";
import { forSchedule } from "../../shared/worker.ts";

/** Days that a key signs before the next one is created (D6). */
export const rotationDays = 30;

/** Minutes that a new key is published before it signs, so that every cache of the key set has it (D6). */
export const publishedAheadMinutes = 10;

/** Minutes that a key stays published after the next one signs: a token's life and the age of a cached key set (D6). */
export const publishedAfterMinutes = 15 + 5;

/** Age at which a published but unstored key counts as abandoned. A younger one may belong to a running rotation. */
const abandonedAfterMinutes = 60;

/**
 * Creates the next signing key when one is due, publishes it before it signs, and retires older ones (D6). Each run
 * retires every key that has stopped signing or will never sign, and so completes an interrupted run.
 */
export const handler = forSchedule(async ({ now }) => {
  const stored = await readSigningKeys({ fresh: true });
  const newest = stored.at(-1);
  const signsFrom = nextKeySignsFrom(newest && new Date(newest.signs_from), now);
  const keys = signsFrom ? await addKey(stored, signsFrom, now) : stored;
  const schedule = keys.map(({ jwk, signs_from }) => ({ kid: jwk.kid, signsFrom: new Date(signs_from) }));
  const ends = keysToRetire(await findOpenKeys(), schedule, now);
  await Promise.all(ends.map(({ kid, validTo }) => retireKey(kid, validTo)));
});

/** The time from which the next key signs: now for the first, later for its successors; undefined while none is due. */
export function nextKeySignsFrom(newestSignsFrom: Date | undefined, now: Date): Date | undefined {
  if (!newestSignsFrom) return now;
  const isDue = now.getTime() - newestSignsFrom.getTime() >= rotationDays * 24 * 60 * msPerMinute;
  return isDue ? new Date(now.getTime() + publishedAheadMinutes * msPerMinute) : undefined;
}

/** Adds a key, publishing it before storing it, so that every key that signs is public. */
async function addKey(stored: readonly SigningKey[], signsFrom: Date, now: Date): Promise<readonly SigningKey[]> {
  const next = await makeSigningKey(signsFrom);
  await publishKey(next.jwk.kid, publicPartOf(next), now);
  const keys = [...stored.slice(-1), next];
  await writeSigningKeys(keys);
  return keys;
}

/** Access pattern K2: publishes a key from a moment on. One write unit. */
export async function publishKey(kid: string, jwk: PublicJwk, now: Date): Promise<void> {
  await putIf({ Item: publicKeys.encode({ ...publicKeyAt(kid), jwk, published_at: now.toISOString() }) });
}

/** A key that signs from a time until the next key signs. */
interface ScheduledKey {
  readonly kid: string;
  readonly signsFrom: Date;
}

/** A published key that is not yet retired. */
interface PublishedKey {
  readonly kid: string;
  readonly publishedAt: Date;
}

/**
 * The published keys to retire, and when. A key with a successor ends when its last token expires. A key that is not
 * stored was left by an interrupted run, and ends as if it had signed until now.
 */
export function keysToRetire(
  published: readonly PublishedKey[],
  schedule: readonly ScheduledKey[],
  now: Date,
): { readonly kid: string; readonly validTo: Date }[] {
  return published.flatMap(({ kid, publishedAt }) => {
    const at = schedule.findIndex((key) => key.kid === kid);
    const isAbandoned = at < 0 && now.getTime() - publishedAt.getTime() >= abandonedAfterMinutes * msPerMinute;
    const signsTo = at < 0 ? isAbandoned && now : schedule[at + 1]?.signsFrom;
    return signsTo ? [{ kid, validTo: new Date(signsTo.getTime() + publishedAfterMinutes * msPerMinute) }] : [];
  });
}

/** Access pattern K4: the keys whose publication has no end yet. One query, one read unit. */
export async function findOpenKeys(): Promise<PublishedKey[]> {
  const open = (await findPublishedKeys({ ConsistentRead: true })).filter(({ valid_to }) => !valid_to);
  return open.map(({ jwk, published_at }) => ({ kid: jwk.kid, publishedAt: new Date(published_at) }));
}

/** Access pattern K3: ends the publication of a key at a moment, once and for all. One write unit. */
async function retireKey(kid: string, validTo: Date): Promise<void> {
  const set = { valid_to: validTo.toISOString(), expires_at: epochSeconds(validTo) };
  await updateIf(publicKeyAt(kid), { when: allOf(isThere, lacks("valid_to")), set });
}

import {
  findOpenKeys,
  keysToRetire,
  makeSigningKey,
  nextKeySignsFrom,
  publicPartOf,
  publishKey,
  readSigningKeys,
  retireKey,
  type SigningKey,
  writeSigningKeys,
} from "../../shared/tokens/keys.ts";
import { forSchedule } from "../../shared/worker.ts";

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

/** Adds a key, publishing it before storing it, so that every key that signs is public. */
async function addKey(stored: readonly SigningKey[], signsFrom: Date, now: Date): Promise<readonly SigningKey[]> {
  const next = await makeSigningKey(signsFrom);
  await publishKey(next.jwk.kid, publicPartOf(next), now);
  const keys = [...stored.slice(-1), next];
  await writeSigningKeys(keys);
  return keys;
}

import { publishKey, retireKey } from "../../shared/db/accounts/public-keys.ts";
import { nextKeySignsFrom, publishedUntil } from "../../shared/domain/accounts/rotation.ts";
import { makeSigningKey, publicPartOf, readSigningKeys, writeSigningKeys } from "../../shared/tokens/signing-keys.ts";
import { forSchedule } from "../../shared/workers/schedule-worker.ts";

/** Makes the next signing key when one is due, publishes it before it signs, and lets the older one end (D6). */
export const handler = forSchedule(async (now) => {
  const keys = await readSigningKeys({ fresh: true });
  const newest = keys.at(-1);
  const signsFrom = nextKeySignsFrom(newest && new Date(newest.signs_from), now);
  if (!signsFrom) return;
  const next = await makeSigningKey(signsFrom);
  await publishKey(next.jwk.kid, publicPartOf(next));
  await writeSigningKeys([...keys.slice(-1), next]);
  if (newest) await retireKey(newest.jwk.kid, publishedUntil(signsFrom));
});

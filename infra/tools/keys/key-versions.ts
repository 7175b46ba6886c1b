import { randomBytes } from "node:crypto";
import { currentVersion, type HmacKeyVersions } from "../../../shared/domain/hmac-key.ts";

/** Functions keep the key for 5 minutes: what signs must be known to all of them before. */
const knownAheadMs = 10 * 60_000;

/** The versions with a new one, which signs when every function knows it. */
export function withNewVersion(known: HmacKeyVersions, now: Date): HmacKeyVersions {
  return addVersion(known, new Date(now.getTime() + knownAheadMs));
}

/** The versions without one; where none would sign then, a new one signs at once. */
export function withoutVersion({ versions, highest }: HmacKeyVersions, struck: number, now: Date): HmacKeyVersions {
  const rest = { versions: versions.filter(({ version }) => version !== struck), highest };
  const signedNow = currentVersion(versions, now)?.version === struck;
  return signedNow ? addVersion(rest, now) : rest;
}

/** A version's number is used once: a hash that says it must never meet another key. */
function addVersion({ versions, highest }: HmacKeyVersions, signsFrom: Date): HmacKeyVersions {
  const version = highest + 1;
  const added = { version, key: randomBytes(48).toString("base64url"), signs_from: signsFrom.toISOString() };
  return { versions: [...versions, added], highest: version };
}

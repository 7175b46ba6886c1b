import { randomBytes } from "node:crypto";
import { currentVersion, type HmacKeyVersion } from "../../../shared/domain/hmac-key.ts";

/** Functions keep the key for 5 minutes: what signs must be known to all of them before. */
const knownAheadMs = 10 * 60_000;

/** The versions with a new one, which signs when every function knows it. */
export function withNewVersion(versions: readonly HmacKeyVersion[], now: Date): HmacKeyVersion[] {
  return [...versions, newVersion(versions, new Date(now.getTime() + knownAheadMs))];
}

/** The versions without one; where none would sign then, a new one signs at once. */
export function withoutVersion(versions: readonly HmacKeyVersion[], struck: number, now: Date): HmacKeyVersion[] {
  const rest = versions.filter(({ version }) => version !== struck);
  const signedNow = currentVersion(versions, now)?.version === struck;
  return signedNow ? [...rest, newVersion(versions, now)] : rest;
}

/** A version's number is used once: a hash that says it must never meet another key. */
function newVersion(versions: readonly HmacKeyVersion[], signsFrom: Date): HmacKeyVersion {
  const version = Math.max(1, ...versions.map((each) => each.version)) + 1;
  return { version, key: randomBytes(48).toString("base64url"), signs_from: signsFrom.toISOString() };
}

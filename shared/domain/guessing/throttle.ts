import type { HmacKey } from "../hmac-key.ts";

/** At most so many attempts within a sliding window. */
export interface Limit {
  readonly most: number;
  readonly withinMinutes: number;
  /** True where reaching the limit shuts for the whole time from the last attempt on, not until the first falls out. */
  readonly locks?: boolean;
}

const msPerMinute = 60_000;

/** When the next attempt is admitted, in milliseconds: `now` or later. `attempts` are those before, oldest first. */
export function admittedAt(attempts: readonly number[], limits: readonly Limit[], now: number): number {
  return Math.max(...limits.map((limit) => opensAt(attempts, limit, now)));
}

/** The attempts that may still matter to a limit, with one more at `now`. */
export function withAttempt(attempts: readonly number[], limits: readonly Limit[], now: number): number[] {
  return [...attempts.filter((moment) => moment > now - longestWindowMs(limits)), now];
}

/** Names a subject of a rule, such as a login, without revealing it. Under a new version of the key counts begin again. */
export function hashSubject(rule: string, subject: string, key: HmacKey): string {
  return key.sign("throttle", `${rule}|${subject}`);
}

/** The longest window of the limits, in milliseconds. */
export function longestWindowMs(limits: readonly Limit[]): number {
  return Math.max(...limits.map(({ withinMinutes }) => withinMinutes)) * msPerMinute;
}

/** Seconds to wait, rounded up to whole minutes, so that the answer does not reveal which limit it was (D11). */
export function retryAfterSeconds(admittedAtMs: number, now: number): number {
  return Math.ceil((admittedAtMs - now) / msPerMinute) * 60;
}

function opensAt(attempts: readonly number[], { most, withinMinutes, locks }: Limit, now: number): number {
  const within = withinMinutes * msPerMinute;
  if (locks) {
    const [first, last] = [attempts[attempts.length - most], attempts.at(-1)];
    return first !== undefined && last !== undefined && last - first < within ? last + within : now;
  }
  const recent = attempts.filter((moment) => moment > now - within);
  const blocking = recent[recent.length - most];
  return blocking === undefined ? now : blocking + within;
}

const msPerMinute = 60_000;
const msPerHour = 60 * msPerMinute;
/** A receiver may be down for a long weekend. */
const failsForMs = 5 * 24 * msPerHour;
/** A receiver that says 410 for an hour means it. */
const goneForMs = msPerHour;
/** Twice the longest pause between two attempts: a longer gap had none. */
export const silentForMs = msPerHour;
/** One write a minute, however many events fail. */
const noticedEachMs = msPerMinute;

/** The stored state of a failing webhook; a delivering one has none. Times are in ISO 8601. */
export interface WebhookHealth {
  /** The first failure since the last success. */
  readonly failing_since: string;
  /** Milliseconds since then in gaps of more than an hour without an attempt, which do not count; 0 by default. */
  readonly idle_ms?: number | undefined;
  /** The last recorded failure. */
  readonly failed_at: string;
  /** The time since which every answer was a 410. */
  readonly gone_since?: string | undefined;
  /** Present if the webhook is disabled. */
  readonly disabled_at?: string | undefined;
}

/**
 * The state after another failure; undefined if the known one is recent enough. A webhook is disabled after 5 days of
 * failures, or an hour of 410. A gap of more than an hour between two attempts does not count towards the days and
 * restarts the hour.
 */
export function afterFailure(known: WebhookHealth | undefined, isGone: boolean, now: Date): WebhookHealth | undefined {
  const moment = now.toISOString();
  const sinceMs = (time: string) => now.getTime() - Date.parse(time);
  const isOn = known !== undefined && sinceMs(known.failed_at) <= silentForMs;
  const failingSince = known?.failing_since ?? moment;
  const idleMs = (known?.idle_ms ?? 0) + (known && !isOn ? sinceMs(known.failed_at) : 0);
  const goneSince = isGone ? ((isOn ? known.gone_since : undefined) ?? moment) : undefined;
  const isGoneForLong = goneSince !== undefined && sinceMs(goneSince) >= goneForMs;
  const isOver = sinceMs(failingSince) - idleMs >= failsForMs || isGoneForLong;
  const isKnown = isOn && isGone === (known.gone_since !== undefined) && sinceMs(known.failed_at) < noticedEachMs;
  if (isKnown && !isOver) return undefined;
  return {
    failing_since: failingSince,
    failed_at: moment,
    ...(idleMs > 0 && { idle_ms: idleMs }),
    ...(goneSince !== undefined && { gone_since: goneSince }),
    ...(isOver && { disabled_at: moment }),
  };
}

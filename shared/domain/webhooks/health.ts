const msPerMinute = 60_000;
const msPerHour = 60 * msPerMinute;
const failsForMs = 5 * 24 * msPerHour;
const goneForMs = msPerHour;
const silentForMs = msPerHour;
const noticedEachMs = msPerMinute;

/** What is kept of a webhook whose attempts fail; nothing is while they succeed. Moments are in ISO 8601. */
export interface WebhookHealth {
  /** The first failure since the last success. */
  readonly failing_since: string;
  /** Milliseconds since then that say nothing, as no attempt was in them for more than an hour; none where it is left out. */
  readonly idle_ms?: number | undefined;
  /** The last failure that was kept. */
  readonly failed_at: string;
  /** Since when every answer was a 410. */
  readonly gone_since?: string | undefined;
  /** Present once nothing is sent any more. */
  readonly disabled_at?: string | undefined;
}

/**
 * What is to be kept after another failure; undefined where what is known says as much. A webhook is disabled once it has
 * failed for 5 days, or answered 410 for an hour. A failure and the next one say nothing of the time between them where it was
 * more than an hour: it does not count among the days, and begins the hour again.
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

const msPerMinute = 60_000;
const msPerHour = 60 * msPerMinute;
const failsForMs = 5 * 24 * msPerHour;
const goneForMs = msPerHour;
const silentForMs = msPerHour;
const noticedEachMs = msPerMinute;

/** What is kept of a webhook whose attempts fail; nothing is while they succeed. Moments are in ISO 8601. */
export interface WebhookHealth {
  /** The first failure since the last success, or since an hour without any attempt. */
  readonly failing_since: string;
  /** The last failure that was kept. */
  readonly failed_at: string;
  /** Since when every answer was a 410. */
  readonly gone_since?: string | undefined;
  /** Present once nothing is sent any more. */
  readonly disabled_at?: string | undefined;
}

/**
 * What is to be kept after another failure; undefined where what is known says as much. A webhook is disabled once it has
 * failed for 5 days, or answered 410 for an hour, with no hour in it that nothing was tried in: an old failure and a new one
 * say nothing of the time between them.
 */
export function afterFailure(known: WebhookHealth | undefined, isGone: boolean, now: Date): WebhookHealth | undefined {
  const moment = now.toISOString();
  const sinceMs = (time: string) => now.getTime() - Date.parse(time);
  const isOn = known !== undefined && sinceMs(known.failed_at) <= silentForMs;
  const failingSince = isOn ? known.failing_since : moment;
  const goneSince = isGone ? ((isOn ? known.gone_since : undefined) ?? moment) : undefined;
  const isOver = sinceMs(failingSince) >= failsForMs || (goneSince !== undefined && sinceMs(goneSince) >= goneForMs);
  const isKnown = isOn && isGone === (known.gone_since !== undefined) && sinceMs(known.failed_at) < noticedEachMs;
  if (isKnown && !isOver) return undefined;
  return {
    failing_since: failingSince,
    failed_at: moment,
    ...(goneSince !== undefined && { gone_since: goneSince }),
    ...(isOver && { disabled_at: moment }),
  };
}

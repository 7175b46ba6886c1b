import type { MarshalledItem } from "./release.ts";

/** Every kind of item by its key, as the table's page lists them; a kind's samples are in the file of its name, by area. */
const kinds: readonly (readonly [kind: string, pk: RegExp, sk: RegExp, since?: string, until?: string])[] = [
  ["records/company", /^COMPANY#\d+$/, /^COMPANY$/],
  ["accounts/user", /^USER#\d+$/, /^USER$/],
  ["accounts/user-secret", /^PASS(WORD|CODE)#\d+$/, /^PASS(WORD|CODE)$/, "0.2"],
  ["accounts/login", /^LOGIN#/, /^LOGIN$/],
  ["accounts/pin", /^LOGIN#/, /^PIN$/],
  ["accounts/session", /^USER#\d+$/, /^SESSION#/],
  ["accounts/throttle", /^THROTTLE#/, /^THROTTLE$/],
  ["accounts/login-guesses", /^THROTTLE#LOGIN#/, /^GUESSES$/, "0.2"],
  ["accounts/client-guesses", /^THROTTLE#CLIENT#/, /^GUESSES$/, "0.2"],
  ["accounts/sms-count", /^SMS#/, /^SMS$/],
  ["accounts/notice", /^USER#\d+$/, /^NOTICE#/, "0.2"],
  ["accounts/own-export", /^USER#\d+$/, /^EXPORT#/, "0.2"],
  ["records/sequence", /^SEQUENCE#/, /^SEQUENCE$/],
  ["accounts/reset-token", /^RESET#/, /^RESET$/],
  ["accounts/profile", /^PROFILE#/, /^PROFILE$/],
  ["records/timesheet", /^TIMESHEET#/, /^TIMESHEET$/],
  ["records/invoice", /^INVOICE#/, /^INVOICE$/],
  ["records/job", /^JOB#/, /^JOB$/],
  ["records/migration", /^MIGRATION$/, /./, "0.2"],
  ["records/tombstone", /./, /^REMOVED#/],
  ["records/webhook", /^WEBHOOK#/, /^WEBHOOK$/, "0.2"],
  ["records/removal", /^REMOVAL#/, /./, "0.2"],
  ["history/change", /^HISTORY#/, /./, "0.2"],
  ["history/place", /^CHANGES#/, /./, "0.2"],
  ["notifications/notification", /^USER#\d+$/, /^NOTIFICATION#/],
  ["notifications/notification-counts", /^USER#\d+$/, /^COUNTS$/],
  ["notifications/device", /^USER#\d+$/, /^DEVICE#/],
  ["notifications/device-set", /^USER#\d+$/, /^DEVICES$/],
  ["notifications/device-token", /^DEVICE#/, /^DEVICE$/],
  ["notifications/delivered-event", /^USER#\d+$/, /^EVENT#/],
  ["notifications/push", /^USER#\d+$/, /^PUSH#/],
  ["accounts/idempotent-run", /^IDEMPOTENCY#/, /^IDEMPOTENCY$/],
  ["accounts/answer-piece", /^IDEMPOTENCY#/, /^ANSWER#/],
  ["accounts/public-key", /^KEYS$/, /./],
  ["accounts/minted-token", /^MINTED$/, /./, "0.2"],
  ["lists/counted-place", /^(TIMESHEET|INVOICE|JOB)#/, /^TALLIED$/],
  ["lists/totals", /^TOTALS#/, /^ALL$/],
  ["lists/month-totals", /^TOTALS#/, /^\d{4}-\d{2}$/, "0.1", "0.1"],
  ["lists/day-totals", /^TOTALS#/, /#COUNTS$/, "0.2"],
  ["lists/day-bounds", /^TOTALS#/, /#BOUNDS$/, "0.2"],
  ["lists/number-entry", /^COMPANY#\d+#NUMBERS$/, /./],
];

/** The names of all kinds that a release had. */
export function kindNamesOf(release: string): string[] {
  const hadBy = ([, , , since = "0.1", until = release]: (typeof kinds)[number]) =>
    byAge(since, release) <= 0 && byAge(release, until) <= 0;
  return kinds.filter(hadBy).map(([kind]) => kind);
}

/** Sorts releases, oldest first. */
export function byAge(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

/** The kind of an item; throws on one that the table's page does not list. */
export function kindOf({ pk, sk }: MarshalledItem): string {
  const found = kinds.find(([, pkForm, skForm]) => pkForm.test(pk?.S ?? "") && skForm.test(sk?.S ?? ""));
  if (!found) throw new Error(`No kind of item has the key ${pk?.S} ${sk?.S}`);
  return found[0];
}

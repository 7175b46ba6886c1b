import type { MarshalledItem } from "./release.ts";

/** Every kind of item by its key, as the table's page lists them; a kind's samples are in the file of its name. */
const kinds: readonly (readonly [kind: string, pk: RegExp, sk: RegExp])[] = [
  ["company", /^COMPANY#\d+$/, /^COMPANY$/],
  ["user", /^USER#\d+$/, /^USER$/],
  ["login", /^LOGIN#/, /^LOGIN$/],
  ["pin", /^LOGIN#/, /^PIN$/],
  ["session", /^USER#\d+$/, /^SESSION#/],
  ["throttle", /^THROTTLE#/, /^THROTTLE$/],
  ["sms-count", /^SMS#/, /^SMS$/],
  ["sequence", /^SEQUENCE#/, /^SEQUENCE$/],
  ["reset-token", /^RESET#/, /^RESET$/],
  ["profile", /^PROFILE#/, /^PROFILE$/],
  ["timesheet", /^TIMESHEET#/, /^TIMESHEET$/],
  ["invoice", /^INVOICE#/, /^INVOICE$/],
  ["job", /^JOB#/, /^JOB$/],
  ["tombstone", /./, /^REMOVED#/],
  ["notification", /^USER#\d+$/, /^NOTIFICATION#/],
  ["notification-counts", /^USER#\d+$/, /^COUNTS$/],
  ["device", /^USER#\d+$/, /^DEVICE#/],
  ["device-set", /^USER#\d+$/, /^DEVICES$/],
  ["device-token", /^DEVICE#/, /^DEVICE$/],
  ["delivered-event", /^USER#\d+$/, /^EVENT#/],
  ["push", /^USER#\d+$/, /^PUSH#/],
  ["idempotent-run", /^IDEMPOTENCY#/, /^IDEMPOTENCY$/],
  ["answer-piece", /^IDEMPOTENCY#/, /^ANSWER#/],
  ["public-key", /^KEYS$/, /./],
  ["counted-place", /^(TIMESHEET|INVOICE|JOB)#/, /^TALLIED$/],
  ["totals", /^TOTALS#/, /^ALL$/],
  ["month-totals", /^TOTALS#/, /^\d{4}-\d{2}$/],
  ["number-entry", /^COMPANY#\d+#NUMBERS$/, /./],
];

/** The names of all kinds. */
export const kindNames = kinds.map(([kind]) => kind);

/** The kind of an item; throws on one that the table's page does not list. */
export function kindOf({ pk, sk }: MarshalledItem): string {
  const found = kinds.find(([, pkForm, skForm]) => pkForm.test(pk?.S ?? "") && skForm.test(sk?.S ?? ""));
  if (!found) throw new Error(`No kind of item has the key ${pk?.S} ${sk?.S}`);
  return found[0];
}

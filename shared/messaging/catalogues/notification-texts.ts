import type { Locale } from "../../contract/values.ts";
import { isCalendarDate } from "../../contract/values.ts";
import { languageOf } from "../../run/language.ts";
import type { NotificationWords } from "./notification-words.ts";
import { notificationsDe } from "./notifications-de.ts";
import { notificationsEn } from "./notifications-en.ts";

/** The text of a push. */
export interface PushText {
  readonly title: string;
  readonly body: string;
}

/** The fields of a notification that its text is made of. */
interface Shown {
  readonly record_type: string;
  readonly params: { readonly type: string } & Readonly<Record<string, unknown>>;
}

type UserLocale = string | null | undefined;

const words: Readonly<Record<Locale, NotificationWords>> = { en: notificationsEn, de: notificationsDe };

/** The text of a push in a user's language. A kind that only other systems know appears under their names. */
export function pushTextOf(locale: UserLocale, recordType: string, type: string): PushText {
  const { title, sentence } = findWords(locale, recordType, type);
  return { title, body: sentence ?? plainWords(type) };
}

function findWords(locale: UserLocale, recordType: string, type: string) {
  const { kinds } = words[languageOf(locale)];
  const known = new Map<string, { readonly title: string; readonly kinds: object }>(Object.entries(kinds));
  const { title = recordType, kinds: own = {} } = known.get(recordType) ?? {};
  return { title, sentence: new Map<string, string>(Object.entries(own)).get(type) };
}

function plainWords(type: string): string {
  return type.replaceAll("_", " ");
}

/**
 * Notifications as their reader gets them: with a text in the reader's language, made of the sentence of their push and of
 * what the record was called when they were delivered (D45). A text that another system sent stays.
 */
export function withNotificationTexts<T extends Shown>(notifications: readonly T[], locale: UserLocale) {
  return notifications.map((each) => {
    const named = { ...each.params, ...namesIn(each.params) };
    return {
      ...each,
      params: { ...named, text: asText(each.params.text) ?? sentenceFor(each.record_type, named, locale) },
    };
  });
}

type Names = Readonly<Record<"title" | "number" | "date", string | undefined>>;

function sentenceFor(
  recordType: string,
  { type, title, number, date }: Names & { type: string },
  locale: UserLocale,
): string {
  const { title: kind, sentence = `${kind}: ${plainWords(type)}` } = findWords(locale, recordType, type);
  const day = date !== undefined && isCalendarDate(date) ? words[languageOf(locale)].day(new Date(date)) : date;
  const about = [title, number, day].filter((each) => each !== undefined);
  return about.length === 0 ? sentence : `${sentence}: ${about.join(", ")}`;
}

/** Other systems may send anything under these names; readers get text. */
function namesIn({ title, number, date }: Readonly<Record<string, unknown>>): Names {
  return { title: asText(title), number: asText(number), date: asText(date) };
}

function asText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

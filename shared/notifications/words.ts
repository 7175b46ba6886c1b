import { isCalendarDate, type Locale } from "../contract/values.ts";
import { formatsOf, languageOf } from "../run/language.ts";
import type { notifyingRecordTypes } from "./kinds.ts";

type RecordTypes = typeof notifyingRecordTypes;

/** The words of notifications in one language: of pushes, and of their list. They stand apart from mails and SMS, which no list needs. */
interface NotificationWords {
  /** Writes a day, short but clear. */
  readonly day: (moment: Date) => string;
  /** The sentence of each kind, by the type of its record. */
  readonly kinds: {
    readonly [T in keyof RecordTypes]: {
      readonly title: string;
      readonly kinds: { readonly [K in keyof RecordTypes[T]["kinds"]]: string };
    };
  };
}

/** Notifications in German. */
const notificationsDe: NotificationWords = {
  day: formatsOf("de-DE").shortDay,
  kinds: {
    Job: { title: "Stelle", kinds: { published: "Eine Stelle wurde veröffentlicht" } },
    Timesheet: {
      title: "Stundenzettel",
      kinds: {
        submitted: "Ein Stundenzettel wurde eingereicht",
        paid: "Ein Stundenzettel wurde bezahlt",
        pending: "Ein Stundenzettel ist wieder offen",
      },
    },
    Invoice: {
      title: "Rechnung",
      kinds: {
        issued: "Eine Rechnung wurde gestellt",
        overdue: "Eine Rechnung ist überfällig",
        paid: "Eine Rechnung wurde bezahlt",
      },
    },
    User: {
      title: "Konto",
      kinds: {
        api_key_created: "Ein Schlüssel für die API wurde erstellt",
        password_changed: "Ihr Passwort wurde geändert",
      },
    },
    Chat: { title: "Chat", kinds: { message: "Sie haben eine neue Nachricht" } },
  },
};

/** Notifications in English. */
const notificationsEn: NotificationWords = {
  day: formatsOf("en-GB").shortDay,
  kinds: {
    Job: { title: "Job", kinds: { published: "A job was published" } },
    Timesheet: {
      title: "Timesheet",
      kinds: {
        submitted: "A timesheet was submitted",
        paid: "A timesheet was paid",
        pending: "A timesheet is pending again",
      },
    },
    Invoice: {
      title: "Invoice",
      kinds: { issued: "An invoice was issued", overdue: "An invoice is overdue", paid: "An invoice was paid" },
    },
    User: {
      title: "Account",
      kinds: { api_key_created: "An API key was created", password_changed: "Your password was changed" },
    },
    Chat: { title: "Chat", kinds: { message: "You have a new message" } },
  },
};

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

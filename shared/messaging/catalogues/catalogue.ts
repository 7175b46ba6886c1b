import type { Locale } from "../../contract/locales.ts";
import type { notifyingRecordTypes } from "../../domain/records/notification-kinds.ts";

type RecordTypes = typeof notifyingRecordTypes;

/** The facts in a message with a pin. */
export interface PinFacts {
  readonly service: string;
  readonly pin: string;
  /** The life of the pin. */
  readonly minutes: number;
}

/** The facts in a notice of a new password. */
export interface NoticeFacts {
  readonly service: string;
  readonly at: Date;
}

/** A paragraph of an e-mail in plain text; a code is set apart and large. */
export type Paragraph = string | { readonly code: string };

/** An e-mail in plain text. Its HTML form escapes it. */
export interface EmailText {
  readonly subject: string;
  readonly paragraphs: readonly Paragraph[];
}

/** The text of a push. */
export interface PushText {
  readonly title: string;
  readonly body: string;
}

/** The sentence of each kind of notification, by the type of its record. */
type NotificationTexts = {
  readonly [T in keyof RecordTypes]: {
    readonly title: string;
    readonly kinds: { readonly [K in keyof RecordTypes[T]["kinds"]]: string };
  };
};

/**
 * All texts for people in one language (D45). Texts of users and stages are arguments and appear unchanged. An SMS fits
 * into one part with every allowed service name.
 */
export interface Catalogue {
  readonly locale: Locale;
  readonly pinEmail: (facts: PinFacts) => EmailText;
  readonly pinSms: (facts: PinFacts) => string;
  readonly passwordChangedEmail: (facts: NoticeFacts) => EmailText;
  readonly passwordChangedSms: (facts: NoticeFacts) => string;
  readonly notifications: NotificationTexts;
}

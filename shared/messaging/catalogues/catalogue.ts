import type { Locale } from "../../contract/locales.ts";
import type { NoticeKind, notifyingRecordTypes } from "../../domain/records/notification-kinds.ts";

type RecordTypes = typeof notifyingRecordTypes;

/** What the message with a pin says. */
export interface PinFacts {
  readonly service: string;
  readonly pin: string;
  /** For how long it is valid. */
  readonly minutes: number;
}

/** What a notice says of what happened to an account. */
export interface NoticeFacts {
  readonly service: string;
  readonly at: Date;
}

/** A notice, by each channel. */
interface NoticeTexts {
  readonly email: (facts: NoticeFacts) => EmailText;
  readonly sms: (facts: NoticeFacts) => string;
}

/** A paragraph of an e-mail in plain text; a code stands alone and large. */
export type Paragraph = string | { readonly code: string };

/** An e-mail in plain text: what makes it HTML escapes it. */
export interface EmailText {
  readonly subject: string;
  readonly paragraphs: readonly Paragraph[];
}

/** What a push shows. */
export interface PushText {
  readonly title: string;
  readonly body: string;
}

/** What a notification of each kind says, by the type of the record that it is about. */
type NotificationTexts = {
  readonly [T in keyof RecordTypes]: {
    readonly title: string;
    readonly kinds: { readonly [K in keyof RecordTypes[T]["kinds"]]: string };
  };
};

/**
 * All that the service says to people in one language (D45). What users and stages have written are arguments, and come out as
 * they are. An SMS is one part with every service name that a stage may have.
 */
export interface Catalogue {
  readonly locale: Locale;
  readonly pinEmail: (facts: PinFacts) => EmailText;
  readonly pinSms: (facts: PinFacts) => string;
  readonly notices: Readonly<Record<NoticeKind, NoticeTexts>>;
  readonly notifications: NotificationTexts;
}

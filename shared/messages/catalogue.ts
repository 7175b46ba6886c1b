import type { Locale } from "../contract/values.ts";

/** The facts in a message with a pin. */
interface PinFacts {
  readonly service: string;
  readonly pin: string;
  /** The life of the pin. */
  readonly minutes: number;
}

/** The facts in a notice of a new password. */
interface NoticeFacts {
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

/**
 * All mails and SMS in one language (D45). Texts of users and stages are arguments and appear unchanged. An SMS fits
 * into one part with every allowed service name.
 */
export interface Catalogue {
  readonly locale: Locale;
  readonly pinEmail: (facts: PinFacts) => EmailText;
  readonly pinSms: (facts: PinFacts) => string;
  readonly passwordChangedEmail: (facts: NoticeFacts) => EmailText;
  readonly passwordChangedSms: (facts: NoticeFacts) => string;
}

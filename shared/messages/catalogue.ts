import type { KeyAccess } from "../contract/operation.ts";
import type { Locale } from "../contract/values.ts";

/** The facts in a message with a pin. */
interface PinFacts {
  readonly service: string;
  readonly pin: string;
  /** The life of the pin. */
  readonly minutes: number;
}

/** The facts in a notice of a new password. */
interface PasswordFacts {
  readonly service: string;
  readonly at: Date;
  /** The number of API keys that it ended. */
  readonly endedKeys: number;
}

/** The facts in a notice of a new API key. Its name is left out: whoever made it wrote that. */
interface ApiKeyFacts {
  readonly service: string;
  readonly at: Date;
  readonly access: KeyAccess;
  readonly validTo: Date;
}

/** What a notice is about. */
export type Notice =
  | ({ readonly kind: "password_changed" } & Omit<PasswordFacts, "service">)
  | ({ readonly kind: "api_key_created"; readonly keyId: number } & Omit<ApiKeyFacts, "service">);

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
  readonly passwordChangedEmail: (facts: PasswordFacts) => EmailText;
  readonly passwordChangedSms: (facts: PasswordFacts) => string;
  readonly apiKeyCreatedEmail: (facts: ApiKeyFacts) => EmailText;
  readonly apiKeyCreatedSms: (facts: Pick<ApiKeyFacts, "service" | "at">) => string;
}

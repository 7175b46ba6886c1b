import { formatsOf } from "../run/language.ts";
import type { Catalogue } from "./catalogue.ts";

const { longDay, shortDay, time, minutes } = formatsOf("de-DE");

/** German, in the polite form. */
export const de: Catalogue = {
  locale: "de",
  pinEmail: (facts) => ({
    subject: `Ihre PIN für ${facts.service}`,
    paragraphs: [
      `Ihre PIN für ${facts.service}:`,
      { code: facts.pin },
      `Sie ist ${minutes(facts.minutes)} gültig und kann einmal verwendet werden.`,
      "Wenn Sie keine PIN angefordert haben, können Sie diese Nachricht ignorieren; ohne die PIN ändert sich nichts.",
    ],
  }),
  pinSms: (facts) => `${facts.pin} ist Ihre PIN für ${facts.service}, gültig für ${minutes(facts.minutes)}.`,
  passwordChangedEmail: ({ service, at }) => ({
    subject: `Ihr Passwort für ${service} wurde geändert`,
    paragraphs: [
      `Das Passwort Ihres Kontos bei ${service} wurde am ${longDay(at)} um ${time(at)} Uhr (UTC) geändert.`,
      "Wenn Sie das nicht waren, fordern Sie bitte sofort eine neue PIN an und legen Sie ein neues Passwort fest.",
    ],
  }),
  passwordChangedSms: ({ service, at }) =>
    `${service}: Ihr Passwort wurde am ${shortDay(at)} um ${time(at)} UTC geändert. Nicht Sie? Bitte eine neue PIN anfordern.`,
};

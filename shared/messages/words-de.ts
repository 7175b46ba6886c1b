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
  passwordChangedEmail: ({ service, at, endedKeys }) => ({
    subject: `Ihr Passwort für ${service} wurde geändert`,
    paragraphs: [
      `Das Passwort Ihres Kontos bei ${service} wurde am ${longDay(at)} um ${time(at)} Uhr (UTC) geändert.`,
      ...(endedKeys === 0
        ? []
        : [`Damit ${endedKeys === 1 ? "endet" : "enden"} ${endedKeys} API-Schlüssel: Programme brauchen neue.`]),
      "Wenn Sie das nicht waren, fordern Sie bitte sofort eine neue PIN an und legen Sie ein neues Passwort fest.",
    ],
  }),
  passwordChangedSms: ({ service, at, endedKeys }) =>
    endedKeys === 0
      ? `${service}: Ihr Passwort wurde am ${shortDay(at)} um ${time(at)} UTC geändert. Nicht Sie? Bitte eine neue PIN anfordern.`
      : `${service}: Passwort am ${shortDay(at)} um ${time(at)} UTC geändert, ${endedKeys} API-Schlüssel beendet. Nicht Sie? Neue PIN!`,
  apiKeyCreatedEmail: ({ service, at, access, validTo }) => ({
    subject: `Ein API-Schlüssel Ihres Kontos bei ${service} wurde erstellt`,
    paragraphs: [
      `Ein API-Schlüssel Ihres Kontos bei ${service} wurde am ${longDay(at)} um ${time(at)} Uhr (UTC) erstellt.`,
      `Ein Programm, das ihn hat, kann bis zum ${longDay(validTo)} ${access === "act" ? "lesen und ändern" : "lesen"}, was Sie können.`,
      "Wenn Sie das nicht waren, fordern Sie bitte sofort eine PIN an und legen Sie ein neues Passwort fest: Damit enden alle API-Schlüssel.",
    ],
  }),
  apiKeyCreatedSms: ({ service, at }) =>
    `${service}: Am ${shortDay(at)} um ${time(at)} UTC wurde ein API-Schlüssel erstellt. Nicht Sie? Bitte neue PIN anfordern.`,
};

import { formatsOf } from "../run/language.ts";
import type { Catalogue } from "./catalogue.ts";

const { longDay, shortDay, time, minutes } = formatsOf("en-GB");

/** English. */
export const en: Catalogue = {
  locale: "en",
  pinEmail: (facts) => ({
    subject: `Your ${facts.service} pin`,
    paragraphs: [
      `Your ${facts.service} pin:`,
      { code: facts.pin },
      `It is valid for ${minutes(facts.minutes)} and can be used once.`,
      "If you did not ask for it, ignore this message; nothing changes without the pin.",
    ],
  }),
  pinSms: (facts) => `${facts.pin} is your ${facts.service} pin, valid for ${minutes(facts.minutes)}.`,
  passwordChangedEmail: ({ service, at }) => ({
    subject: `Your ${service} password was changed`,
    paragraphs: [
      `The password of your ${service} account was changed on ${longDay(at)} at ${time(at)} UTC.`,
      "If it was not you, ask for a new pin and set another password at once.",
    ],
  }),
  passwordChangedSms: ({ service, at }) =>
    `${service}: your password was changed on ${shortDay(at)} at ${time(at)} UTC. Not you? Ask for a pin and set a new one.`,
};

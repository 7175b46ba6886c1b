import { formatsOf } from "../run/language.ts";
import type { Catalogue } from "./catalogue.ts";

const { longDay, shortDay, time, minutes } = formatsOf("en-GB");

function keys(count: number): string {
  return count === 1 ? "1 API key" : `${count} API keys`;
}

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
  passwordChangedEmail: ({ service, at, endedKeys }) => ({
    subject: `Your ${service} password was changed`,
    paragraphs: [
      `The password of your ${service} account was changed on ${longDay(at)} at ${time(at)} UTC.`,
      ...(endedKeys === 0 ? [] : [`This ended ${keys(endedKeys)}: programs that used them need new ones.`]),
      "If it was not you, ask for a new pin and set another password at once.",
    ],
  }),
  passwordChangedSms: ({ service, at, endedKeys }) =>
    endedKeys === 0
      ? `${service}: your password was changed on ${shortDay(at)} at ${time(at)} UTC. Not you? Ask for a pin and set a new one.`
      : `${service}: password changed on ${shortDay(at)} at ${time(at)} UTC, ${keys(endedKeys)} ended. Not you? Ask for a pin now.`,
  apiKeyCreatedEmail: ({ service, at, access, validTo }) => ({
    subject: `An API key of your ${service} account was created`,
    paragraphs: [
      `An API key of your ${service} account was created on ${longDay(at)} at ${time(at)} UTC.`,
      `Until ${longDay(validTo)} a program that has it can ${access === "act" ? "read and change" : "read"} what you can.`,
      "If it was not you, ask for a pin and set a new password at once: that ends all your API keys.",
    ],
  }),
  apiKeyCreatedSms: ({ service, at }) =>
    `${service}: an API key was created on ${shortDay(at)} at ${time(at)} UTC. Not you? Ask for a pin, set a new password.`,
};

import {
  confirmedUser,
  confirmLogin,
  confirmLoginByBody,
  getProfile,
  profile,
  registerUser,
  requestPasswordReset,
  setPassword,
  user,
  userAwaitingPin,
} from "../accounts.ts";
import { describes, shapes } from "./text.ts";

const userTexts = {
  id: ["Number of the account; the `sub` of its access tokens.", 2],
  company: ["The employer or customer this person acts for, by `financial_company_id`; null for none."],
  contact_phone_number: ["The number that colleagues call; not a login.", "+447700900102"],
  email: [
    "Address for mails, and a login. Null for people who sign in by phone.",
    "operator@harbour-logistics.example",
  ],
  financial_company_id: ["Decides whose invoices, timesheets and jobs an operator or client sees.", 1],
  first_name: ["The given name; empty until set after a registration.", "Owen"],
  job_position: ["Free text, for display.", "Transport planner"],
  last_name: ["Surname; it may be empty as well.", "Pryce"],
  phone_number: ["Mobile number in E.164 form, which takes SMS and is a login too.", "+447700900005"],
  profile_id: ["For drivers: the number that timesheets name them by.", 5005],
  role: ["The rights of the account: `admin`, `operator`, `client` or `driver`.", "operator"],
} as const;

export const userText = shapes(user, "A person with an account, as shown to that person.", userTexts);

export const profileText = shapes(profile, "The caller's own account.", {
  ...userTexts,
  locale: [
    "Language of mails, SMS and pushes to this person, `en` or `de`; null leaves it to the service. Later releases may have more.",
    "en",
  ],
});

export const userAwaitingPinText = shapes(
  userAwaitingPin,
  "The login as it was sent, within a user that reveals nothing: names are empty, and the `id`, from 2^52 on, is made of the login and nobody's.",
  {
    ...userTexts,
    pin_valid_to: [
      "Until when the pin works: 12 minutes after it was first asked for. Asking again does not move it.",
      "2026-05-01T08:40:00.000Z",
    ],
  },
);

export const confirmedUserText = shapes(confirmedUser, "The account behind a login that has just been confirmed.", {
  ...userTexts,
  reset_password_token: [
    "Permission to set one password, for 15 minutes, and for an hour a proof in `Known-Client`. Keep it in memory only.",
    "example-reset-token-3kQ9vXo2",
  ],
});

export const requestPasswordResetText = describes(requestPasswordReset, {
  description: `First of three steps to a new password: have a pin sent, confirm it, set the password. A login with an @ gets an
e-mail, a phone number an SMS. Nothing shows whether the login is known: the answer is the same, with a user that is not the stored one.

It is never refused. While a pin lives, asking again sends the same digits, a minute apart and three times at most, or changes nothing.
Clients that were signed in before should send \`Known-Client\`: their message goes out even if strangers have caused many.`,
  body: {
    text: "The login whose password is forgotten.",
    fields: {
      login: [
        "The e-mail address or phone number of the account as typed or pasted, up to 320 characters. Numbers without a country code are read as the stage's.",
        "operator@harbour-logistics.example",
      ],
    },
  },
  answer: {
    text: "If the login is known, a pin is on its way.",
    fields: { user: ["Only `pin_valid_to` and the login are worth reading."] },
  },
  takes: ["KnownClient"],
});

export const confirmLoginText = describes(confirmLogin, {
  description: `Trades the pin for a reset token. Addresses end up in histories and in logs of proxies, and pins should not: where you
can, call \`POST /api/v1/users/confirmation\`. Right pins work once; the same request within 60 seconds from the same network address is answered the same.`,
  query: {
    login: [
      "The login that the pin was sent to. Write the plus sign of a phone number as `%2B`.",
      "operator@harbour-logistics.example",
    ],
    pin: [
      "Six digits as received, with zeros in front; twelve while somebody guesses. Blanks, dashes, brackets and invisible characters do not count.",
      "012345",
    ],
  },
  answer: {
    text: "The pin was right, and is now spent.",
    fields: { user: ["Account of the login, with the token for the next step."] },
  },
});

export const setPasswordText = describes(setPassword, {
  description: `Last step of a recovery or a registration. All sessions of the user end and their devices get no more pushes, so sign in
again afterwards, with the reset token as \`Known-Client\`: wrong passwords of before still count. The user is notified of the
change by every channel there is.

After a lost answer the same request may be repeated for a minute.`,
  body: {
    text: "The new password, and the right to set it.",
    fields: {
      reset_password_token: ["Taken from the confirmation.", "example-reset-token-3kQ9vXo2"],
      password: [
        "Chosen by the user: 8 to 128 characters, whichever they like, unless it is one of the 4,000 most common.",
        "a harbour before dawn",
      ],
      password_confirmation: ["The password typed a second time; both must agree.", "a harbour before dawn"],
      first_name: ["Given name of someone who has just registered. Ignored for users that have names already.", "Owen"],
      last_name: ["Family name to go with it.", "Pryce"],
      locale: [
        "From now on mails, SMS and pushes to the user are in this language, which `GET /api/v1/users/me` shows. Without it nothing changes.",
        "en",
      ],
    },
  },
  answer: { text: "The password is changed; older sessions are over.", fields: { user: ["Whose password it was."] } },
});

export const registerUserText = describes(registerUser, {
  description: `Opens an account on stages that allow it; elsewhere the path does not exist (404). A pin goes out to the login. Confirm
it, then set password and names with the reset token. Those sent here are only checked, not stored, so that nobody can
prepare an account for someone else's address.

Known logins get the same answer. Thirty registrations an hour are accepted from one network address.`,
  body: {
    text: "The person who wants an account.",
    fields: {
      login: ["E-mail address, or a mobile number in a country that is served.", "new.driver@example.com"],
      password: ["Tried against the rules for passwords, then forgotten.", "a harbour before dawn"],
      first_name: ["Given name, 1 to 200 characters, shown back in the answer.", "Robin"],
      last_name: ["Family name, of 1 to 200 characters.", "Field"],
    },
  },
  answer: {
    text: "A pin goes to the login, unless the messages of the day are used up.",
    fields: { user: ["The future account: a driver without a company."] },
  },
});

export const confirmLoginByBodyText = describes(confirmLoginByBody, {
  description: `Second step of a recovery or a registration: proves that the pin arrived. The answer has a \`reset_password_token\`, which
\`PUT users/password\` wants. 20 tries of a login on a day (UTC), right or wrong, use up its pins of six digits: have a new one
sent then, which has twelve and no limit. Wrong, expired and spent pins are not distinguished.`,
  body: {
    text: "A login and what was sent to it.",
    fields: {
      login: [
        "Exactly as in the request for the pin, or in any other spelling of the same address.",
        "operator@harbour-logistics.example",
      ],
      pin: [
        "The digits from the message, as text: a pin may begin with 0. As pasted: dashes, blanks, brackets and invisible characters are ignored, and digits of any script taken.",
        "012345",
      ],
    },
  },
  answer: { text: "Login confirmed. The pin cannot be used again.", fields: { user: ["The owner of this login."] } },
});

export const getProfileText = describes(getProfile, {
  description: `Who the access token belongs to, with role and company: ask it after signing in to decide which screens to show. It is read
afresh, so a change of name or company shows at once, while the token keeps its role until it is renewed.`,
  answer: { text: "Your profile.", fields: { user: ["Your own account."] } },
});

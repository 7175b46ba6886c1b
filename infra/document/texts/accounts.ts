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
} from "../../../shared/contract/accounts.ts";
import { commonFields } from "./fields.ts";
import { describes, shapes } from "./text.ts";

const userTexts = {
  id: ["Id of the user; the `sub` of the user's access tokens.", 2],
  company: ["Company of the user, the one of `financial_company_id`; null for none."],
  contact_phone_number: ["Phone number for calls; not a login.", "+447700900102"],
  email: ["E-mail address, which is a login; null for none.", "operator@harbour-logistics.example"],
  financial_company_id: [
    "Id of the user's company, whose invoices, timesheets and jobs an operator or client sees; null for none.",
    1,
  ],
  first_name: commonFields.first_name,
  job_position: ["Job title of the user, as free text.", "Transport planner"],
  last_name: commonFields.last_name,
  phone_number: ["Mobile number in E.164 form, which is a login; null for none.", "+447700900005"],
  profile_id: ["Id of the driver profile that timesheets name; null for a user without one.", 5005],
  role: ["Role of the user: `admin`, `operator`, `client` or `driver`.", "operator"],
} as const;

export const userText = shapes(user, "A user, as shown to that user.", userTexts);

export const profileText = shapes(profile, "The caller's own user.", {
  ...userTexts,
  locale: [
    "Language of mails, SMS and pushes to this person, `en` or `de`; null leaves it to the service. Later releases may have more.",
    "en",
  ],
});

export const userAwaitingPinText = shapes(
  userAwaitingPin,
  "A user with the login that was sent and no stored value: names are empty, and the `id`, from 2^52 on, is derived from the login and is the id of no user.",
  {
    ...userTexts,
    pin_valid_to: [
      "Time until which the pin is valid: 12 minutes after it was first asked for. Asking again does not move it.",
      "2026-05-01T08:40:00.000Z",
    ],
  },
);

export const confirmedUserText = shapes(confirmedUser, "The account behind a login that has just been confirmed.", {
  ...userTexts,
  reset_password_token: commonFields.reset_password_token,
});

export const requestPasswordResetText = describes(requestPasswordReset, {
  description: `First of three steps to a new password: have a pin sent, confirm it, set the password. A login with an @ gets an
e-mail, a phone number an SMS. Nothing shows whether the login is known: the answer is the same, with a user that is not the stored one.

It is never refused. While a pin lives, asking again sends the same digits, a minute apart and three times at most, or changes nothing.
Clients that were signed in before should send \`Known-Client\`: their message goes out even if strangers have caused many.`,
  body: {
    text: "The login whose password is forgotten.",
    fields: {
      login: commonFields.login,
    },
  },
  answer: {
    text: "If the login is known, a pin is on its way.",
    fields: { user: ["The login that was sent, and `pin_valid_to`. No other value is stored."] },
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
    text: "The login is confirmed. The pin cannot be used again.",
    fields: { user: ["The user of the login, with the token for the next step."] },
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
      reset_password_token: commonFields.reset_password_token,
      password: [
        "New password: 8 to 128 characters of any kind, and none of the 4,000 most common passwords.",
        "a harbour before dawn",
      ],
      password_confirmation: ["The same password again.", "a harbour before dawn"],
      first_name: ["First name, for a user who has just registered. Ignored for users who have names.", "Owen"],
      last_name: ["Last name, for a user who has just registered. Ignored for users who have names.", "Pryce"],
      locale: [
        "From now on mails, SMS and pushes to the user are in this language, which `GET /api/v1/users/me` shows. Without it nothing changes.",
        "en",
      ],
    },
  },
  answer: {
    text: "The password is changed; older sessions are over.",
    fields: { user: ["The user whose password was changed."] },
  },
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
      password: ["Checked against the rules for passwords, and not stored.", "a harbour before dawn"],
      first_name: ["First name, 1 to 200 characters.", "Robin"],
      last_name: ["Last name, 1 to 200 characters.", "Field"],
    },
  },
  answer: {
    text: "A pin goes to the login, unless the messages of the day are used up.",
    fields: { user: ["The user to be: a driver without a company."] },
  },
});

export const confirmLoginByBodyText = describes(confirmLoginByBody, {
  description: `Second step of a recovery or a registration: proves that the pin arrived. The answer has a \`reset_password_token\`, which
\`PUT users/password\` wants. 20 tries of a login on a day (UTC), right or wrong, use up its pins of six digits: have a new one
sent then, which has twelve and no limit. Wrong, expired and spent pins are not distinguished.`,
  body: {
    text: "A login and the pin that was sent to it.",
    fields: {
      login: commonFields.login,
      pin: [
        "Pin from the message, as text: a pin may begin with 0. Dashes, blanks, brackets and invisible characters are ignored, and digits of any script accepted.",
        "012345",
      ],
    },
  },
  answer: {
    text: "The login is confirmed. The pin cannot be used again.",
    fields: { user: ["The user of the login, with the token for the next step."] },
  },
});

export const getProfileText = describes(getProfile, {
  description: `Who the access token belongs to, with role and company: ask it after signing in to decide which screens to show. It is read
afresh, so a change of name or company shows at once, while the token keeps its role until it is renewed.`,
  answer: { text: "Your profile.", fields: { user: ["Your profile."] } },
});

import {
  endSession,
  issuedToken,
  listSessions,
  refreshToken,
  session,
  signIn,
  signOut,
} from "../../../shared/contract/sessions.ts";
import { commonFields } from "./fields.ts";
import { describes, shapes } from "./text.ts";

export const issuedTokenText = shapes(issuedToken, "A pair of tokens: one to call with, one to renew it.", {
  access_token: ["Send it as `Authorization: Bearer …`. Treat it as opaque.", "eyJhbGciOiJFUzI1NiJ9.example.signature"],
  token_type: ["Always `Bearer`.", "Bearer"],
  expires_in: ["Seconds for which the access token works. Renew a little earlier.", 900],
  refresh_token: [
    "Good for one renewal within 30 days. Store it as safely as a password.",
    "example-refresh-token-7Jd0",
  ],
});

export const signInText = describes(signIn, {
  description: `Starts a session on this client. Wrong passwords and unknown logins get the same 401 in the same time. After 60 wrong
passwords of a login on a day (UTC), 20 of them from one address, the answer is 429 with \`Retry-After\`. A pin lets the owner in all the same:
confirm it, and send its reset token in \`Known-Client\`, with the old password or a new one.

Clients that were signed in before should send \`Known-Client\` as well, so that strangers who guess cannot lock them out.`,
  body: {
    text: "The credentials of a user.",
    fields: {
      login: commonFields.login,
      password: ["The password as typed: it is neither trimmed nor changed in case.", "workforce demo"],
    },
  },
  answer: {
    text: "Signed in.",
    fields: {
      user: ["The user who has signed in, so that no second call is needed."],
      token: ["Tokens of the new session."],
    },
  },
  takes: ["KnownClient"],
  answers: ["authorization"],
});

export const refreshTokenText = describes(refreshToken, {
  description: `Call it on a 401 \`token_expired\`, or shortly before. Every refresh token works once: keep the new one and drop the old.
If the answer was lost, repeat within 60 seconds; calls at the same time all get one successor. 20 tokens a session and day (UTC) are
answered again in that way. A token that turns up again later looks stolen, and its whole session ends.`,
  body: {
    text: "The session to renew.",
    fields: { refresh_token: ["Latest refresh token of the session.", "example-refresh-token-7Jd0"] },
  },
  answer: {
    text: "The session is renewed, for another 30 days.",
    fields: { token: ["The new tokens. The former refresh token is used up."] },
  },
  answers: ["authorization"],
});

export const signOutText = describes(signOut, {
  description: `Ends the session of the token that is sent, and takes its devices off the push list. The refresh token is void at once; the
access token itself expires within 15 minutes, and can only read until then. Signing out twice is no error.`,
  answer: { text: "The session is over. The body is an empty object.", fields: {} },
});

export const sessionText = shapes(session, "A session of the caller.", {
  id: ["Id of the session; its access tokens have it as `sid`.", "Bm1kFNMUivJU5Yv3MuYy2w"],
  opened_at: ["Time of the sign-in.", "2026-04-20T06:58:12.000Z"],
  refreshed_at: [
    "Time at which its tokens were last renewed: it ends by itself 30 days later.",
    "2026-05-01T08:30:00.000Z",
  ],
  platforms: ["Platforms of the devices that were registered for pushes in the session.", ["ios"]],
  current: ["True for the session of this request.", true],
});

export const listSessionsText = describes(listSessions, {
  description: `Where the caller is signed in: for a page "your devices". Sessions that have expired, were signed out of, or ended with a
new password are left out. Of more than 100 it shows the 100 that were active last; \`total\` counts all. Addresses and browsers are
not kept, so that devices registered for pushes are the only hint at what a session is.`,
  answer: {
    text: "The live sessions.",
    fields: { sessions: ["Sessions that can be renewed, the most recently active first."] },
  },
});

export const endSessionText = describes(endSession, {
  description: `Ends another session, such as that of a lost phone. Its refresh token is void at once, its devices get no more pushes,
and its access token runs out within 15 minutes; until then it can only read. Your own session may be ended, too.`,
  parameters: { id: ["Id of the session; its access tokens have it as `sid`.", "Bm1kFNMUivJU5Yv3MuYy2w"] },
  answer: { text: "The session is over. The body is an empty object.", fields: {} },
});

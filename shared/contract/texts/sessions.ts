import { endSession, issuedToken, listSessions, refreshToken, session, signIn, signOut } from "../sessions.ts";
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
      login: [
        "Address or number as the user types it; spaces, capitals and national formats are understood.",
        "operator@harbour-logistics.example",
      ],
      password: ["The password, unchanged: no trimming, no case folding.", "workforce demo"],
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
    text: "The session to go on with.",
    fields: { refresh_token: ["The latest one of the session.", "example-refresh-token-7Jd0"] },
  },
  answer: {
    text: "The session goes on, for another 30 days.",
    fields: { token: ["The next pair. The former refresh token is spent."] },
  },
  answers: ["authorization"],
});

export const signOutText = describes(signOut, {
  description: `Ends the session of the token that is sent, and takes its devices off the push list. The refresh token is void at once; the
access token itself expires within 15 minutes, and can only read until then. Signing out twice is no error.`,
  answer: { text: "The session is over. The body is an empty object.", fields: {} },
});

export const sessionText = shapes(session, "A place where the caller is signed in.", {
  id: [
    "Ends the session, in the path of the DELETE. Tokens of the session name it as `sid`.",
    "Bm1kFNMUivJU5Yv3MuYy2w",
  ],
  opened_at: ["The moment of signing in.", "2026-04-20T06:58:12.000Z"],
  refreshed_at: ["When its tokens were renewed last: it ends by itself 30 days later.", "2026-05-01T08:30:00.000Z"],
  platforms: ["The platforms of the devices that were registered for pushes in it.", ["ios"]],
  current: ["True for the one that sends this request.", true],
});

export const listSessionsText = describes(listSessions, {
  description: `Where the caller is signed in: for a page "your devices". Sessions that have expired, were signed out of, or ended with a
new password are left out. Of more than 100 it shows the 100 that were active last; \`total\` counts all. Addresses and browsers are
not kept, so that devices registered for pushes are the only hint at what a session is.`,
  answer: {
    text: "The sessions that you can go on with without a password.",
    fields: { sessions: ["Those that can still be renewed, recently active ones at the top."] },
  },
});

export const endSessionText = describes(endSession, {
  description: `Signs another place out, such as a phone that was lost. Its refresh token is void at once, its devices get no more pushes,
and its access token runs out within 15 minutes; until then it changes nothing any more. Your own session may be ended, too.`,
  parameters: { id: ["Taken from the list of sessions.", "Bm1kFNMUivJU5Yv3MuYy2w"] },
  answer: { text: "That place is signed out. Nothing is in the object.", fields: {} },
});

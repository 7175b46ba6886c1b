/** The document's description of the whole interface, in Markdown. */
export const interfaceText = `Timesheets, invoices, jobs and notifications of companies and the people who work for them.

**Sign in** with \`POST /api/v1/users/sign_in\` and send the \`access_token\` with every request, as
\`Authorization: Bearer <ACCESS_TOKEN>\`. It lasts 15 minutes; \`POST /api/v1/users/token\` gives the next one.

**Bodies** are JSON with one outer object that names the subject, such as \`{"timesheet": {…}}\`. Fields that the service does not know
are ignored, and optional ones that are null or "" count as left out.

**Lists** answer one outer array; \`per-page\`, \`total\` and \`Link\` are headers.

**Values**: ids are whole numbers from 1 to 2^53 − 1, so read them into 64 bits. Amounts are decimal numbers in strings, so that no float rounds them.
The \`currency\` of an amount stands beside it. Timestamps are UTC with milliseconds; calendar dates are \`YYYY-MM-DD\` and have no time zone.

**Refusals** are problem documents (RFC 9457). Branch on \`code\`, which is stable; expect codes that you do not know.
A method that a path does not take is 405 \`method_not_allowed\`, with those that it takes in the header \`Allow\`. A placeholder such as
\`{id}\` matches any text, so that \`GET\` of \`/jobs/adjust_timer\` asks for a job (404) and stands in \`Allow\`. \`HEAD\` is for health,
key set and this document.

**Repeating** a request is safe: what is done already counts as success, and a request with an \`Idempotency-Key\` is carried out once.`;

/** The groups of operations, in the order of their pages. */
export const tagTexts = {
  sessions: "Sign in, renew tokens, sign out. Begin here: nearly all other operations need the access token.",
  account: "Recover a password with a pin, confirm a login, register, and show the profile of the signed-in user.",
  keys: "API keys, with which programs call in their user's name without the password.",
  finance: "Timesheets with their payment state, and invoices.",
  jobs: "Jobs on offer, and their timers, which say until when a job can be taken.",
  companies: "Companies, for admins to choose whose records they see.",
  notifications:
    "What changed in a user's records: the list, the unread counts, and marking as read. An import may make changes silently, and nobody is notified of their own changes.",
  devices: "Phones and browsers that receive pushes.",
  history: "Changes of records, with author, time and earlier values; a change can be undone for a day.",
  service: "For machines: health, public keys, and this document.",
} as const;

/** The description of the access token. */
export const bearerText =
  "The `access_token` of a sign-in or a renewal, a JWT that is valid for 15 minutes. As RFC8725 asks, it is signed with ES256 and nothing else, and its `typ`, `iss` and `aud` are checked. Reads need the token alone; everything but signing out also needs a session that is live, and a user with the role and company of the token.";

/** The description of the API key. */
export const apiKeySchemeText =
  "The `secret` of an API key (`POST /api/v1/users/keys`), for programs: sent as `Authorization: Bearer wfk_…`, never in a query or a cookie. It calls in the name of its user, as role and company are now. With the access `read` it reads; with `act` it also pays, undoes, adjusts and marks. Sessions, passwords, devices and keys are closed to it.";

/** The description of the server. */
export const serverText = "The host that answered this document: production, another stage or the local machine.";

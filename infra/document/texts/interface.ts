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
  sessions: "Signing in, renewing tokens, signing out. Begin here: nearly everything else wants the access token.",
  account: "Recovering a password with a pin, confirming a login, registering, and the profile of who is signed in.",
  finance: "Debts to drivers and bills to companies: timesheets with their payment state, and invoices.",
  jobs: "Offers of work, and the window in which they can be taken.",
  companies: "The employers: for admins, to choose whose records they see.",
  notifications:
    "News about the records of a user: the list, the badge counts, and marking as read. Any change counts, unless an import made it silently, and nobody is notified of what they did themselves.",
  devices: "Phones and browsers that receive pushes.",
  history: "Changes of records, with author, time and earlier values; and their undo for a day.",
  service: "For machines: health, public keys, and this document.",
} as const;

/** The description of the access token. */
export const bearerText =
  "The `access_token` of a sign-in or a renewal, a JWT that is valid for 15 minutes. As RFC8725 asks, it is signed with ES256 and nothing else, and its `typ`, `iss` and `aud` are checked. Reads need the token alone; everything but signing out also needs a session that is live, and a user with the role and company of the token.";

/** The description of the server. */
export const serverText = "The host that answered this document: production, another stage or the local machine.";

/** The document's text for a header: a sentence, an example, and the JSON Schema of its value. */
export interface HeaderText {
  readonly text: string;
  /** Absent of a value that no two requests may share. */
  readonly example?: string | number;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The value of a header: up to so many characters of visible ASCII and blanks. */
function ascii(maxLength: number) {
  return { type: "string", maxLength, pattern: "^[\\x20-\\x7e]*$" } as const;
}

/** The headers of answers, by name. */
export const answerHeaderTexts = {
  "x-request-id": {
    text: "Id of the request, as in the service's logs. Include it when you ask for support.",
    example: "JKJaXmPLvHcESHA=",
    schema: ascii(200),
  },
  "change-id": {
    text: "Id of the change that the request made: `POST /api/v1/changes/{id}/undo` takes it for 24 hours. Absent where nothing changed.",
    example: "0196f2a4-5c80-8b1e-8000-00000000020e",
    schema: { type: "string", format: "uuid", maxLength: 36 },
  },
  "per-page": {
    text: "The most items on a page of this list: your `per_page`, or 20.",
    example: 20,
    schema: { type: "integer", format: "int32", minimum: 1, maximum: 100 },
  },
  total: {
    text: "Number of items on all pages together. It never contradicts the items of its page. Of all companies it may be a minute late.",
    example: 75,
    schema: { type: "integer", format: "int64", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
  link: {
    text: 'Where to read on (RFC 8288): `rel="next"` with a cursor, and first, prev and last. Absent when everything fits on one page.',
    example: '<https://api.example.com/api/v1/jobs?cursor=MjB8ZDU1>; rel="next"',
    // Four addresses, each with a host, a search of 64 characters in UTF-8, the other filters and a cursor.
    schema: ascii(4 * 2048),
  },
  vary: {
    text: "The headers of the request that the answer depends on: caches keep one for each of their values.",
    example: "Accept-Encoding",
    schema: ascii(200),
  },
  authorization: {
    text: "The new access token once more, ready to be sent back as it is.",
    example: "Bearer eyJhbGciOiJFUzI1NiJ9.example.signature",
    schema: ascii("Bearer ".length + 4096),
  },
  "idempotency-replayed": {
    text: "There if nothing was done now, because the key had been used: this is the answer of the first time.",
    example: "true",
    schema: { const: "true" },
  },
  "retry-after": {
    text: "Seconds to wait before you try again. Sooner attempts are refused as well.",
    example: 60,
    schema: { type: "integer", format: "int32", minimum: 0, maximum: 86_400 },
  },
  "www-authenticate": {
    text: 'Asks HTTP libraries for a bearer token (RFC 6750); `error="invalid_token"` where one was sent and failed.',
    example: 'Bearer error="invalid_token"',
    schema: ascii(200),
  },
} as const satisfies Readonly<Record<string, HeaderText>>;

/** The name of a header of answers. */
export type AnswerHeader = keyof typeof answerHeaderTexts;

/** The headers that some requests may carry besides the access token, by component name. */
export const requestHeaderTexts = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    text:
      "A value of your own for one change, such as a UUID. A repetition of the request with it, within 24 hours, makes no " +
      "second change: it gets the records as they are and the same `change-id`. Visible ASCII, 1 to 255 characters.",
    schema: { type: "string", maxLength: 255, pattern: "^[\\x21-\\x7e]{1,255}$" },
  },
  KnownClient: {
    name: "Known-Client",
    text:
      "Proves that this client was signed in under the login before, or has just confirmed a pin of it: the last refresh token " +
      "of a session, expired or not; a device token of the user; or a reset token, for an hour, also once it has set a password. " +
      "Failures of strangers at the login then do not lock this client out, and a pin that it asks for is sent as the first of the day. " +
      "Anything else proves nothing, and refuses nothing.",
    example: "example-refresh-token-of-an-earlier-session",
    schema: ascii(4096),
  },
} as const satisfies Readonly<Record<string, HeaderText & { readonly name: string }>>;

/** The component name of such a header. */
export type RequestHeader = keyof typeof requestHeaderTexts;

/** The session of an access token of the service; empty for any other token. */
export function sessionOf(token: string): string {
  const [, payload = ""] = token.split(".");
  return payload === "" ? "" : String(JSON.parse(Buffer.from(payload, "base64url").toString()).sid);
}

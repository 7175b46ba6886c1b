/** The session that an access token of the service names; empty where it is none. */
export function sessionOf(token: string): string {
  const [, payload = ""] = token.split(".");
  return payload === "" ? "" : String(JSON.parse(Buffer.from(payload, "base64url").toString()).sid);
}

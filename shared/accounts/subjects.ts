import { clientOf, siteOf } from "../domain/accounts/client-address.ts";
import type { RuleName } from "../domain/guessing/rules.ts";
import { hmacKey } from "../tokens/secrets.ts";

/** 96 bits: no two clients have one name. */
const clientBytes = 12;

/** A rule, the login of a pin, or the client of messages. */
type SubjectKind = RuleName | "pin" | "messages";

/** Names the subject of a rule by a keyed hash. A new version of the key begins new counts. */
export async function subjectOf(rule: SubjectKind, subject: string): Promise<string> {
  return (await hmacKey()).sign("throttle", `${rule}|${subject}`);
}

/** Names the client of an address whose messages are counted, the same for all logins (D11). */
export async function clientOfMessages(address: string): Promise<string> {
  return subjectOf("messages", siteOf(address));
}

/** Names the client of an address, apart for each rule and subject, in letters that an attribute's name takes. */
export async function clientOfSubject(rule: SubjectKind, subject: string, address: string): Promise<string> {
  const key = await hmacKey();
  return key
    .digest("throttle", `${rule}|${subject}|${clientOf(address)}`)
    .subarray(0, clientBytes)
    .toString("hex");
}

import { apiKeyDays, createApiKey } from "../../shared/contract/api-keys.ts";
import type { Caller } from "../../shared/contract/operation.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { msPerDay } from "../../shared/contract/values.ts";
import { inSession } from "../../shared/http/endpoint.ts";
import { addApiKey, hasApiKeys, keyRefused, shownKey } from "../../shared/people/api-keys.ts";
import { countAttempt, giveBack, type LimitRule, limitSubjectOf } from "../../shared/people/limits.ts";
import { knownPasswordRule, unusableHash, verifyPassword } from "../../shared/people/passwords.ts";
import { sessionEnded, sessionOf, sessionProofName } from "../../shared/people/sessions.ts";
import { findAccountWith } from "../../shared/people/users.ts";

/** The most API keys that a user makes on a day, of which each notifies them (D46). */
export const newKeysRule = {
  name: "newKeys",
  subjectKind: "user",
  most: 20,
  window: "day",
  reason: "You have made 20 API keys today",
} as const satisfies LimitRule;

/** Makes an API key of the caller's, who proves the password. Its user is notified on every channel (D46). */
export const handler = inSession(createApiKey, {
  closes: () => !hasApiKeys(),
  read: ({ caller }) => findAccountWith("password", caller.userId),
  write: async ({ body: { name, access = "read", expires_at, password }, caller, change, now }, account) => {
    const validTo = readExpiry(expires_at, now);
    await requirePassword(caller, password, account?.hash, now);
    if (!account) throw sessionEnded();
    const counted = await countAttempt(await limitSubjectOf(newKeysRule, String(caller.userId)), now);
    const asked = { name, access, validTo };
    const { key, secret } = await addApiKey(account, asked, { change, now }, sessionOf(caller, now).checks).catch(
      async (error: unknown) => {
        await giveBack(counted);
        throw error;
      },
    );
    return { key: { ...shownKey(key), secret } };
  },
});

function readExpiry(asked: string | undefined, now: Date): Date {
  const inDays = (days: number) => new Date(now.getTime() + days * msPerDay);
  const validTo = asked === undefined ? inDays(apiKeyDays.usual) : new Date(asked);
  if (validTo > now && validTo <= inDays(apiKeyDays.most)) return validTo;
  throw keyRefused("/key/expires_at", "out_of_range", `must be to come, and at most ${apiKeyDays.most} days ahead`);
}

/**
 * Lets a caller go on who knows the password. It is counted before it is compared, among those that the caller's session may try:
 * the limit of the login would let strangers use it up (D15). A right one takes its count back.
 */
async function requirePassword(
  { userId, sessionId }: Caller,
  password: string,
  hash: string | undefined,
  now: Date,
): Promise<void> {
  const subject = await limitSubjectOf(knownPasswordRule, sessionProofName(userId, sessionId));
  const counted = await countAttempt(subject, now);
  if (!(await verifyPassword(password, hash ?? unusableHash))) {
    throw new Refusal("password_invalid", "The password is wrong");
  }
  await giveBack(counted);
}

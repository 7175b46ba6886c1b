import { handler as createHandler } from "../../../functions/api-keys/create-api-key.ts";
import { handler as deleteHandler } from "../../../functions/api-keys/delete-api-key.ts";
import { handler as listHandler } from "../../../functions/api-keys/list-api-keys.ts";
import { createApiKey, deleteApiKey, listApiKeys } from "../../../shared/contract/api-keys.ts";
import type { KeyAccess } from "../../../shared/contract/operation.ts";
import { addApiKey } from "../../../shared/people/api-keys.ts";
import { findAccount } from "../../../shared/people/users.ts";
import { testContext } from "../records/contexts.ts";
import type { TestUser } from "../tokens/tokens.ts";
import { call, type TestAnswer } from "./call.ts";

/** The password of users who make API keys in tests. */
export const keyPassword = "seven quiet harbours";

/** Asks for an API key; `fields` are sent instead or beside. */
export function askForKey(
  as: TestUser,
  fields: object = {},
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const key = { name: "Nightly export", password: keyPassword, ...fields };
  return call(createHandler, createApiKey, { as, headers, body: { key } });
}

/** A user's API keys. */
export function listKeys(as: TestUser): Promise<TestAnswer> {
  return call(listHandler, listApiKeys, { as });
}

/** Deletes an API key. */
export function deleteKey(as: TestUser, id: unknown): Promise<TestAnswer> {
  return call(deleteHandler, deleteApiKey, { as, parameters: { id: String(id) } });
}

/** Makes an API key of a stored user as if they had asked for it: its id, its secret and the headers of a call with it. */
export async function keyOf(userId: number, access: KeyAccess = "read", name = `Key ${crypto.randomUUID()}`) {
  const account = await findAccount(userId);
  if (!account) throw new Error(`No user ${userId} is stored`);
  const validTo = new Date(Date.now() + 86_400_000);
  const { key, secret } = await addApiKey(account, { name, access, validTo }, testContext());
  return { id: key.id, secret, headers: bearer(secret) };
}

/** The header of a call with a secret. */
export function bearer(secret: string) {
  return { authorization: `Bearer ${secret}` };
}

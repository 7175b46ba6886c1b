import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import type { Role } from "../../../shared/contract/operation.ts";

/** A user that a token can be made for. */
export interface TestUser {
  readonly id: number;
  readonly role: Role;
  readonly company_id: number | null;
}

/** Id of the key that test tokens are signed with. */
export const testKeyId = "test-key";

/** The session that test tokens name. */
export const testSession = "session-1";

/** The key pair that test tokens are signed with. */
export const testKeys = await generateKeyPair("ES256", { extractable: true });

/** Publishes the key that test tokens are verified with. */
export async function publishTestKey(database: DynamoDBDocumentClient, tableName: string): Promise<void> {
  const jwk = { ...(await exportJWK(testKeys.publicKey)), kid: testKeyId, alg: "ES256", use: "sig" };
  await database.send(new PutCommand({ TableName: tableName, Item: { pk: "KEYS", sk: testKeyId, jwk } }));
}

/** An access token of a user, valid for 15 minutes from `now`; `changes` override claims, undefined leaves one out. */
export function tokenOf(user: TestUser, changes: JWTPayload = {}, now = new Date()): Promise<string> {
  return sign({ ...payloadOf(user, now), ...changes });
}

/** Signs claims as the service does, or with another header. */
export function sign(claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
  const protectedHeader = { alg: "ES256", typ: "at+jwt", kid: testKeyId, ...header };
  return new SignJWT(claims).setProtectedHeader(protectedHeader).sign(testKeys.privateKey);
}

/** The claims of a user's token (D4). */
export function payloadOf(user: TestUser, now = new Date()): JWTPayload {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return {
    iss: "workforce-test",
    aud: "workforce-api",
    sub: String(user.id),
    role: user.role,
    company: user.company_id,
    sid: testSession,
    iat: issuedAt,
    exp: issuedAt + 15 * 60,
    jti: crypto.randomUUID(),
  };
}

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { writeJsonFile } from "./json-file.ts";

/** What an access token says, and for how long (D4). */
export interface AccessTokenRequest {
  user: { id: number; role: string; company_id: number | null };
  issuer: string;
  audience: string;
  lifeSeconds: number;
  now: Date;
}

/** The local machine's own signing key: ES256, the private part in a file only its owner may read. */
export interface SigningKey {
  /** Puts the public key where the functions look for it (D6). */
  publishKey(client: DynamoDBDocumentClient, tableName: string): Promise<void>;
  /** Signs an access token of the form that the service accepts. */
  mintAccessToken(request: AccessTokenRequest): Promise<string>;
}

const algorithm = "ES256";

/** Opens the key kept in `<directory>/signing-key.json`; makes it the first time. */
export async function openSigningKey(directory: string): Promise<SigningKey> {
  const jwk = await readOrMake(join(directory, "signing-key.json"));
  const { d: _, ...publicJwk } = jwk;
  const kid = String(jwk.kid);
  const key = await importJWK(jwk, algorithm);
  return {
    async publishKey(client, tableName) {
      const item = { pk: "KEYS", sk: kid, jwk: publicJwk };
      await client.send(new PutCommand({ TableName: tableName, Item: item }));
    },
    mintAccessToken: ({ user, issuer, audience, lifeSeconds, now }) => {
      const issuedAt = Math.floor(now.getTime() / 1000);
      return new SignJWT({ role: user.role, company: user.company_id, sid: randomUUID() })
        .setProtectedHeader({ alg: algorithm, typ: "at+jwt", kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(String(user.id))
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifeSeconds)
        .setJti(randomUUID())
        .sign(key);
    },
  };
}

async function readOrMake(file: string): Promise<JWK> {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as JWK;
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: algorithm, use: "sig" };
  writeJsonFile(file, jwk);
  return jwk;
}

import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { JWK } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { useService } from "../../support/service/service.ts";
import {
  expectValidAccepted,
  loosely,
  number,
  passTime,
  primeOfP256,
  publicJwk,
  refusalOf,
  withHeader,
} from "../../tokens/forged-tokens.ts";

const service = useService();

beforeEach(passTime);

const wrongPoint = number(BigInt(`0x${Buffer.from(publicJwk.y ?? "", "base64url").toString("hex")}`) ^ 1n).toString(
  "base64url",
);
const invalidKeys: Record<string, JWK | Record<string, unknown>> = {
  "a point that is not on the curve": { y: wrongPoint },
  "the point (0, 0)": { x: "A".repeat(43), y: "A".repeat(43) },
  "the point (1, 1)": { x: number(1n).toString("base64url"), y: number(1n).toString("base64url") },
  "x and y swapped": { x: publicJwk.y, y: publicJwk.x },
  "x = p": { x: number(primeOfP256).toString("base64url") },
  "y of all bits set": { y: Buffer.alloc(32, 255).toString("base64url") },
  "x with spare bits": { x: loosely(publicJwk.x ?? "") },
  "x of 31 bytes": {
    x: Buffer.from(publicJwk.x ?? "", "base64url")
      .subarray(1)
      .toString("base64url"),
  },
  "x of 33 bytes": {
    x: Buffer.concat([Buffer.alloc(1), Buffer.from(publicJwk.x ?? "", "base64url")]).toString("base64url"),
  },
  "x in plain base64": { x: `${publicJwk.x}=` },
  "no x": { x: undefined },
  "an empty y": { y: "" },
  "y as a number": { y: 7 },
  "the curve P-384": { crv: "P-384" },
  "the curve secp256k1": { crv: "secp256k1" },
  "no curve": { crv: undefined },
  "the type RSA": { kty: "RSA", n: "AQAB", e: "AQAB" },
  "the type oct": { kty: "oct", k: "AAAA" },
  "the type OKP": { kty: "OKP", crv: "Ed25519" },
  "the type ec": { kty: "ec" },
  "the use enc": { use: "enc" },
  "no use": { use: undefined },
  "the algorithm ECDH-ES": { alg: "ECDH-ES" },
  "the algorithm ES384": { alg: "ES384" },
  "no algorithm": { alg: undefined },
  "the operation sign": { key_ops: ["sign"] },
  "the operation deriveKey": { key_ops: ["deriveKey"] },
  "no operation": { key_ops: [] },
  "the operation verify twice": { key_ops: ["verify", "verify"] },
  "another id": { kid: "elsewhere" },
  "an id that is a list": { kid: ["invalid"] },
};

describe("D6: a published key is not used, and the others are, when it has", () => {
  test.each(Object.entries(invalidKeys))("%s", async (_, changes) => {
    const jwk = { ...publicJwk, alg: "ES256", use: "sig", kid: "invalid", ...changes };
    const Item = { pk: "KEYS", sk: "invalid", jwk: JSON.parse(JSON.stringify(jwk)) };
    await service.database.send(new PutCommand({ TableName: service.tableName, Item }));
    expect(await refusalOf(withHeader({ kid: "invalid" })())).toBe("token_invalid");
    await expectValidAccepted();
  });
});

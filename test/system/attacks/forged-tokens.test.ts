import { exportSPKI } from "jose";
import { beforeEach, expect, test } from "vitest";
import { putItems } from "../../support/records/items.ts";
import { useService } from "../../support/service/service.ts";
import { testKeyId, testKeys } from "../../support/tokens/tokens.ts";
import {
  claimsWith,
  encode,
  goodHeader,
  hmacSigned,
  loosely,
  outcomeOf,
  partsOf,
  passTime,
  publicJwk,
  signEncoded,
  strangerJwk,
  strangerKey,
  uneven,
  withClaims,
  withHeader,
} from "./forged-tokens.ts";

// Each token is refused for its flaw alone: whatever can be signed by the right key is.

useService();
beforeEach(passTime);

const publicPem = await exportSPKI(testKeys.publicKey);
const headers = (name: string, ...values: readonly unknown[]) => values.map((value) => withHeader({ [name]: value }));
const claims = (name: string, ...values: readonly unknown[]) => values.map((value) => withClaims({ [name]: value }));
/** Rightly signed tokens whose headers are any text. */
const rawHeaders = (...texts: readonly string[]) =>
  texts.map((text) => signEncoded(encode(text), encode(claimsWith())));
const oddIds = ["", "0", "-1", "01", " 1", "1.5", "1e3", "९००", "99999999999999999"];
const [h, p, s] = partsOf();

const refused: Record<string, () => readonly string[]> = {
  "another key's signature, or another text's": () => [
    signEncoded(encode(goodHeader), encode(claimsWith()), strangerKey),
    `${h}.${encode(claimsWith({ sub: "901" }))}.${s}`,
  ],
  "no algorithm, or another": () => [
    `${encode({ ...goodHeader, alg: "none" })}.${encode(claimsWith())}.`,
    ...headers("alg", "none", "es256", "ES384", ["ES256"], undefined),
  ],
  "HMAC with the public key": () => [publicPem, JSON.stringify(publicJwk)].map(hmacSigned),
  "a critical extension": () => [["b64"], [], ["unknown"]].map((crit) => withHeader({ crit, b64: true })),
  "a key in its header, or the address of one": () => [
    withHeader({ jwk: strangerJwk }, strangerKey),
    withHeader({ jwk: publicJwk }),
    ...headers("jku", "https://attacker.example/keys"),
  ],
  "another type": () => headers("typ", "JWT", "AT+JWT", ["at+jwt"], undefined),
  "another key id": () => [
    ...headers("kid", "unknown", undefined, "", "__proto__", "k".repeat(65), [testKeyId]),
    ...headers("kid", `${testKeyId}\n`, testKeyId.toUpperCase()),
  ],
  "a header that is no object or no JSON": () => rawHeaders("[]", "null", "{}", `${JSON.stringify(goodHeader)},}`),
  "claims that are no object or no JSON": () =>
    ["[]", "{", "null", encode(withClaims())].map((text) => signEncoded(encode(goodHeader), encode(text))),
  "parts missing, empty or too many": () => [
    ...["", ".", "..", h, `${h}.${p}`, `${h}.${p}.`, `${h}..${s}`, `.${p}.${s}`],
    ...[`${h}.${p}.${s}.`, `${h}.${p}.${s}.AAAA.AAAA`],
  ],
  "another spelling of the same bytes": () => [
    ...[`${h}.${p}.${s}==`, signEncoded(`${h}=`, p), signEncoded(h, `${p}=`)],
    ...[`${h}.${p}.${loosely(s)}`, signEncoded(loosely(encode(uneven(goodHeader))), p)],
    signEncoded(h, loosely(encode(uneven(claimsWith())))),
    ...[" ", "\n"].flatMap((text) => [`${text}${h}.${p}.${s}`, `${h}.${p}.${s}${text}`]),
  ],
  "a million letters": () => [withClaims({ padding: "x".repeat(1_000_000) })],
  "a user that is no id": () => claims("sub", "__proto__", 900, ...oddIds, ["900"]),
  "a role that there is not": () => claims("role", "root", "__proto__", "Admin", ["admin"], null),
  "a company that is no id": () => claims("company", "1", 0, -1, 1.5, 2 ** 53),
  "a session that is no text": () => claims("sid", null, "", 1, "s".repeat(65)),
  "times that are no moments": () => [
    ...claims("exp", "never", null, "9999999999"),
    ...claims("iat", "soon", {}),
    ...claims("nbf", "0", {}),
  ],
  "a beginning to come": () => claims("nbf", 9_999_999_999),
  "another issuer or audience": () => [
    ...claims("iss", "another", null, "WORKFORCE-TEST"),
    ...claims("aud", "workforce-api-2", null, "Workforce-Api", ["another"]),
  ],
  "a claim missing": () =>
    ["iss", "aud", "sub", "iat", "exp", "jti", "role", "company", "sid"].flatMap((name) => claims(name, undefined)),
};

test.each(Object.entries(refused))("D4: token_invalid: %s", async (_, make) => {
  expect(await outcomeOf(withClaims())).toBe("admin 900");
  for (const [index, token] of make().entries()) expect(await outcomeOf(token), `token ${index}`).toBe("token_invalid");
});

test("D4: a token of up to 4,096 letters counts, and no longer one", async () => {
  const room = Math.floor(((4_096 - withClaims({ padding: "" }).length) * 3) / 4);
  const tokens = [-2, -1, 0, 1, 2, 3].map((more) => withClaims({ padding: "x".repeat(room + more) }));
  const outcomes = await Promise.all(tokens.map(outcomeOf));
  expect(outcomes).toEqual(tokens.map(({ length }) => (length > 4_096 ? "token_invalid" : "admin 900")));
  expect(new Set(outcomes).size, tokens.map(({ length }) => length).join()).toBe(2);
});

const { x = "", y = "" } = publicJwk;
const bytesOfX = Buffer.from(x, "base64url");
const besides = encode(Buffer.from(y, "base64url").map((byte, at) => (at === 31 ? byte ^ 1 : byte)));

test.each<[string, object[]]>([
  ["a point that is none", [{ y: besides }, { x: y, y: x }]],
  ["a coordinate of another form", [{ x: loosely(x) }, { x: `${x}=` }, { y: 7 }, { x: undefined }, { y: undefined }]],
  ["a coordinate too long or short", [{ x: encode(bytesOfX.subarray(1)) }, { x: encode(Buffer.alloc(33, bytesOfX)) }]],
  ["another curve", [{ crv: "P-384" }, { crv: undefined }]],
  ["another type", [{ kty: "oct", k: "AAAA" }, { kty: "ec" }]],
  ["another use", [{ use: "enc" }, { use: undefined }]],
  ["another algorithm", [{ alg: "ES384" }, { alg: undefined }]],
  ["another operation", [["sign"], [], ["verify", "verify"]].map((key_ops) => ({ key_ops }))],
  ["another id", [{ kid: "elsewhere" }, { kid: ["invalid"] }]],
])("D6: a published key with %s is not used, and the others are", async (_, keys) => {
  for (const [index, changes] of keys.entries()) {
    const jwk = { ...publicJwk, alg: "ES256", use: "sig", kid: "invalid", ...changes };
    await putItems([{ pk: "KEYS", sk: "invalid", jwk: JSON.parse(JSON.stringify(jwk)) }]);
    passTime();
    expect(await outcomeOf(withHeader({ kid: "invalid" })), `key ${index}`).toBe("token_invalid");
    expect(await outcomeOf(withClaims())).toBe("admin 900");
  }
});

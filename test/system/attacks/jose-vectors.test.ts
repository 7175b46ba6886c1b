import { sign as signBytes } from "node:crypto";
import { exportSPKI } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { putItems } from "../../support/records/items.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { useService } from "../../support/service/service.ts";
import { testKeyId, testKeys } from "../../support/tokens/tokens.ts";
import {
  claimsWith,
  encode,
  goodHeader,
  hmacSigned,
  loosely,
  number,
  outcomeOf,
  partsOf,
  passTime,
  privateKey,
  publicJwk,
  signEncoded,
  strangerJwk,
  strangerKey,
  uneven,
  withClaims,
  withHeader,
} from "./forged-tokens.ts";

// The classes of invalid vectors of Wycheproof's JOSE sets (JWS, JWK, ECDSA P-256 in P1363 form), made with keys of our
// own, and the musts of RFC 7515, 7517, 7518, 7519, 8725 and 9068. Each is refused for its flaw alone: whatever can be
// signed by the right key is. `npm test` tries the first of a class, `npm run check` all.

useService();
beforeEach(passTime);

/** Makes the vectors of a class. */
type Vectors = () => readonly string[];

/** Order n of the curve P-256, and prime p of its field. */
const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const [zero, one, order, prime] = [0n, 1n, n, p].map((value) => number(value)) as [Buffer, Buffer, Buffer, Buffer];

/** Right tokens with other signatures, made of the two numbers of their own. */
function signatures(change: (r: Buffer, s: Buffer) => readonly (readonly Buffer[])[]): Vectors {
  return () => {
    const [header, payload, signature] = partsOf();
    const bytes = Buffer.from(signature, "base64url");
    const others = change(bytes.subarray(0, 32), bytes.subarray(32));
    return others.map((other) => `${header}.${payload}.${encode(Buffer.concat(other))}`);
  };
}

const zeros = (bytes: number) => Buffer.alloc(bytes);
const plus = (bytes: Buffer, more: bigint) => number(BigInt(`0x${bytes.toString("hex")}`) + more, 33);

const ofSignature: Record<string, Vectors> = {
  "a zero": signatures((r, s) => [
    [zero, zero],
    [zero, s],
    [r, zero],
  ]),
  "a number out of range": signatures((r, s) => [
    [order, s],
    [r, order],
    [order, order],
    [number(n + 1n), one],
    [prime, s],
    [Buffer.alloc(64, 255)],
  ]),
  "numbers of nobody": signatures((r, s) => [
    [s, r],
    [one, one],
    [number(n - 1n), number(n - 1n)],
    [Buffer.from(r).fill((r[0] ?? 0) ^ 1, 0, 1), s],
  ]),
  "a length too many": signatures((r, s) => [
    [r, s, zeros(1)],
    [zeros(1), r, s],
    [plus(r, n), plus(s, 0n)],
    [plus(r, 0n), plus(s, 0n)],
    [zeros(16), r, zeros(16), s],
    [r, s, r, s],
  ]),
  "a length too few": signatures((r, s) => [[r, s.subarray(0, 31)], [r.subarray(1), s], [r], [zeros(1)]]),
  "the form of DER": () => {
    const [header, payload] = partsOf();
    const ofText = signBytes("sha256", Buffer.from(`${header}.${payload}`), privateKey);
    const empty = ["3000", "3006020100020100"].map((hex) => Buffer.from(hex, "hex"));
    return [ofText, ...empty].map((signature) => `${header}.${payload}.${encode(signature)}`);
  },
  "another key's hand": () => [signEncoded(encode(goodHeader), encode(claimsWith()), strangerKey)],
  "another digest": () => [signEncoded(encode(goodHeader), encode(claimsWith()), privateKey, "sha512")],
  "another text's": () => {
    const [header, payload] = partsOf();
    const ofPayload = signBytes("sha256", Buffer.from(payload), { key: privateKey, dsaEncoding: "ieee-p1363" });
    const [, , ofAnother] = partsOf(withClaims({ sub: "901" }));
    return [ofAnother, encode(ofPayload)].map((signature) => `${header}.${payload}.${signature}`);
  },
};

const spellings = ["none", "None", "NONE", "nOnE"];
const others = ["es256", "ES256 ", " ES256", "ES256\u0000", "ES384", "ES512", "ES256K", "EdDSA", "Ed25519", "RS256"];
const header =
  (name: string, ...values: readonly unknown[]): Vectors =>
  () =>
    values.map((value) => withHeader({ [name]: value }));

const ofAlgorithm: Record<string, Vectors> = {
  "none and no signature": () => spellings.map((alg) => `${encode({ ...goodHeader, alg })}.${encode(claimsWith())}.`),
  "none and a right signature": header("alg", ...spellings),
  "another and a right signature": header("alg", ...others, "PS256", "HS256", "ECDH-ES", "dir", "A256GCM", ""),
  "what is no text": header("alg", undefined, null, true, 256, ["ES256"], { name: "ES256" }),
  "HMAC with the public key": () => {
    const [x, y] = [publicJwk.x ?? "", publicJwk.y ?? ""].map((part) => Buffer.from(part, "base64url"));
    const point = Buffer.concat([x ?? zero, y ?? zero]);
    const der = Buffer.from(publicPem.replace(/-----.*?-----/g, ""), "base64");
    const marked = Buffer.concat([Buffer.from([4]), point]);
    const secrets = [publicPem, publicPem.trim(), der, point, marked, x ?? zero, JSON.stringify(publicJwk), ""];
    const longer = ["HS384", "HS512"].map((alg) => hmacSigned(alg, publicPem));
    return [...secrets.map((secret) => hmacSigned("HS256", secret)), ...longer];
  },
  "two of them": () => rawHeaders(`{"alg":"ES256","typ":"at+jwt","kid":"${testKeyId}","alg":"none"}`),
};
const publicPem = await exportSPKI(testKeys.publicKey);

/** Tokens whose headers are any bytes, rightly signed. */
function rawHeaders(...texts: readonly (string | Buffer)[]): string[] {
  return texts.map((text) => signEncoded(encode(text), encode(claimsWith())));
}

const crits = [
  ["b64"],
  [],
  [""],
  ["exp"],
  ["alg"],
  ["b64", "b64"],
  ["unknown"],
  "b64",
  null,
  {},
  1,
  [null],
  ["absent"],
];

const ofHeader: Record<string, Vectors> = {
  "a critical extension": () => crits.map((crit) => withHeader({ crit, b64: true, exp: 1 })),
  "a payload that is not encoded": header("b64", false),
  "a key in it": () => [
    withHeader({ jwk: strangerJwk }, strangerKey),
    withHeader({ kid: "stranger", jwk: { ...strangerJwk, kid: "stranger" } }, strangerKey),
    withHeader({ jwk: publicJwk }),
  ],
  "a key's address": () => [
    withHeader({ jku: "https://attacker.example/keys" }),
    withHeader({ jku: "http://127.0.0.1/keys" }),
    withHeader({ x5u: "https://attacker.example/chain.pem" }),
    withHeader({ x5c: ["MIIB"] }),
    withHeader({ x5t: "AAAA" }),
    withHeader({ "x5t#S256": "AAAA" }),
  ],
  "a parameter that is not understood": () => [
    withHeader({ p2c: 1_000_000_000, p2s: "AAAA" }),
    withHeader({ zip: "DEF" }),
    withHeader({ cty: "JWT" }),
    withHeader({ enc: "A256GCM" }),
    withHeader({ colour: "red" }),
    ...rawHeaders(`{"__proto__":{"x":1},${JSON.stringify(goodHeader).slice(1)}`),
  ],
  "another type": header("typ", "JWT", "AT+JWT", "rt+jwt", ["at+jwt"], undefined),
  "another key id": header("kid", "unknown", undefined, "", "__proto__", "k".repeat(65), "../../etc/passwd", [
    testKeyId,
  ]),
  "an altered key id": header("kid", `${testKeyId}\n`, `${testKeyId}\u0000`, testKeyId.toUpperCase(), "' OR 1=1 --"),
  "a form that is no object": () => rawHeaders("[]", '"ES256"', "null", "{}", "{", "alg=ES256"),
  "a form that is no JSON": () => {
    const text = JSON.stringify(goodHeader);
    const noUtf8 = Buffer.concat([Buffer.from('{"alg":"ES256"'), Buffer.from([255, 125])]);
    return rawHeaders(`${text.slice(0, -1)},}`, `\uFEFF${text}`, text.repeat(2), noUtf8);
  },
};

/** Right tokens whose three parts are put together otherwise. */
function shapes(change: (h: string, p: string, s: string) => readonly string[]): Vectors {
  return () => change(...partsOf());
}

const odd = [" ", "\t", "\n", "\r\n", "\u0000", "\u00a0", "\u200b", "\uFEFF", "%2E", "*", "é"];

const ofForm: Record<string, Vectors> = {
  "parts missing": shapes((h, p, s) => [`${h}.${p}`, "", ".", h, `${h}.${s}`, `${p}.${s}`]),
  "parts empty": shapes((h, p, s) => [`${h}.${p}.`, "..", `${h}..${s}`, `.${p}.${s}`, `.${p}.`]),
  "parts too many": shapes((...parts) => {
    const token = parts.join(".");
    return [`${token}.AAAA.AAAA`, `${token}.`, `${token}.foo`, `.${token}`];
  }),
  "parts of another token": shapes((h, p, s) => [
    `${h}.${encode(claimsWith({ sub: "901" }))}.${s}`,
    `${encode({ ...goodHeader, kid: "other" })}.${p}.${s}`,
  ]),
  "JSON around": shapes((h, payload, signature) => [
    JSON.stringify({ protected: h, payload, signature }),
    JSON.stringify({ payload, signatures: [{ protected: h, signature }] }),
  ]),
  padding: shapes((h, p, s) => [`${h}.${p}.${s}==`, signEncoded(`${h}=`, p), signEncoded(h, `${p}=`)]),
  "spare bits": shapes((h, p, s) => [
    `${h}.${p}.${loosely(s)}`,
    signEncoded(loosely(encode(uneven(goodHeader))), p),
    signEncoded(h, loosely(encode(uneven(claimsWith())))),
  ]),
  "spare letters": shapes((_, p) => {
    const text = JSON.stringify(goodHeader);
    return [signEncoded(`${encode(text.padEnd(text.length + 3 - (text.length % 3)))}A`, p)];
  }),
  "plain base64": shapes((h) => {
    const payload = Buffer.from(JSON.stringify(claimsWith({ note: "???>>>~~~" }))).toString("base64");
    return [signEncoded(h, payload.replace(/=*$/, "").replace(/^(.{8})/, "$1+"))];
  }),
  "letters of full width": shapes((...parts) => [parts.join(".").replace("e", "\uFF45"), parts.join("\u3002")]),
  "other text": shapes((h, p, s) =>
    odd.flatMap((text) => [
      `${text}${h}.${p}.${s}`,
      `${h}.${p.slice(0, 8)}${text}${p.slice(8)}.${s}`,
      `${h}${text}.${text}${p}.${s}`,
      `${h}.${p}.${s}${text}`,
    ]),
  ),
  "too many letters": () => {
    const frame = withClaims({ padding: "" }).length;
    return [Math.ceil(((4097 - frame) * 3) / 4) + 1, 1_000_000].map((length) =>
      withClaims({ padding: "x".repeat(length) }),
    );
  },
};

const claim =
  (name: string, ...values: readonly unknown[]): Vectors =>
  () =>
    values.map((value) => withClaims({ [name]: value }));

const oddIds = ["0", "-1", "+1", "01", " 1", "1 ", "1.0", "1.5", "1e3", "0x10", "९००", "99999999999999999"];
const oddRoles = [
  null,
  "",
  "Admin",
  "admin ",
  "admin\u0000",
  ["admin"],
  ["admin", "operator"],
  { admin: true },
  1,
  true,
];
const wanted = ["iss", "aud", "sub", "iat", "exp", "jti", "role", "company", "sid"];

const ofClaims: Record<string, Vectors> = {
  "a user that is no id": claim("sub", "__proto__", null, 900, "", ...oddIds, ["900"], {}),
  "a role that there is not": claim("role", "root", "__proto__", ...oddRoles),
  "a company that is no id": claim("company", "1", 0, -1, 1.5, 2 ** 53, [1], {}, true, ""),
  "a session that is no text": claim("sid", null, "", 1, "s".repeat(65), ["session-1"]),
  "an end that is no moment": claim("exp", "never", null, "9999999999", true, [9_999_999_999], {}),
  "an issue that is no moment": claim("iat", "soon", {}, [], true),
  "a beginning that is no moment": claim("nbf", "0", {}, [], true),
  "a beginning to come": claim("nbf", 9_999_999_999),
  "another issuer": claim("iss", "another", null, "", "workforce-test ", "WORKFORCE-TEST", "workforce-test/", {}, 1),
  "another audience": claim("aud", "workforce-api-2", null, "", "workforce", "Workforce-Api", [], ["another"], {}, 1),
  ...Object.fromEntries(wanted.map((name) => [`no ${name}`, claim(name, undefined)])),
  "a form that is no object": () =>
    ["[]", "{", '"admin"', "null", "7", "foo", encode(withClaims())].map((text) =>
      signEncoded(encode(goodHeader), encode(text)),
    ),
};

const firstOrAll = <T>(all: readonly T[]) => all.slice(0, usualFreshOrFull(1, all.length, all.length)).entries();

describe.each(
  Object.entries({ ofSignature, ofAlgorithm, ofHeader, ofForm, ofClaims }),
)("D4: token_invalid %s", (_, classes) => {
  test("a right token is accepted, so that the refusals below mean something", async () => {
    expect(await outcomeOf(withClaims())).toBe("admin 900");
  });

  test.each(Object.entries(classes))("with %s", async (_name, make) => {
    for (const [index, token] of firstOrAll(make())) {
      expect(await outcomeOf(token), `vector ${index}`).toBe("token_invalid");
    }
  });
});

test("RFC 7515 A.3: the example signed with ES256 is refused: its key is none of ours", async () => {
  const token =
    "eyJhbGciOiJFUzI1NiJ9" +
    ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ" +
    ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
  expect(await outcomeOf(token)).toBe("token_invalid");
});

const { x = "", y = "" } = publicJwk;
const bytesOfX = Buffer.from(x, "base64url");
const [ofOne, ofPrime] = [encode(one), encode(prime)];
const besides = encode(number(BigInt(`0x${Buffer.from(y, "base64url").toString("hex")}`) ^ 1n));

const invalidKeys: Record<string, object[]> = {
  "a point that is none": [{ y: besides }, { x: "A".repeat(43), y: "A".repeat(43) }, { x: ofOne, y: ofOne }],
  "a coordinate of another": [{ x: y, y: x }, { x: ofPrime }, { y: encode(Buffer.alloc(32, 255)) }],
  "a coordinate of another form": [{ x: loosely(x) }, { x: `${x}=` }, { y: 7 }],
  "a coordinate too long or short": [
    { x: undefined },
    { y: undefined },
    { y: "" },
    { x: encode(bytesOfX.subarray(1)) },
    { x: encode(Buffer.concat([zeros(1), bytesOfX])) },
  ],
  "another curve": [{ crv: "P-384" }, { crv: "secp256k1" }, { crv: undefined }],
  "another type": [{ kty: "RSA", n: "AQAB", e: "AQAB" }, { kty: "oct", k: "AAAA" }, { kty: "ec" }],
  "another type of curves": [{ kty: "OKP", crv: "Ed25519" }],
  "another use": [{ use: "enc" }, { use: undefined }],
  "another algorithm": [{ alg: "ES384" }, { alg: "ECDH-ES" }, { alg: undefined }],
  "another operation": ["sign", "deriveKey", undefined, "verify verify"].map((ops) => ({
    key_ops: ops?.split(" ") ?? [],
  })),
  "another id": [{ kid: "elsewhere" }, { kid: ["invalid"] }],
};

test.each(
  Object.entries(invalidKeys),
)("D6: a published key with %s is not used, and the others are", async (_, keys) => {
  for (const [index, changes] of firstOrAll(keys)) {
    const jwk = { ...publicJwk, alg: "ES256", use: "sig", kid: "invalid", ...changes };
    await putItems([{ pk: "KEYS", sk: "invalid", jwk: JSON.parse(JSON.stringify(jwk)) }]);
    passTime();
    expect(await outcomeOf(withHeader({ kid: "invalid" })), `key ${index}`).toBe("token_invalid");
    expect(await outcomeOf(withClaims())).toBe("admin 900");
  }
});

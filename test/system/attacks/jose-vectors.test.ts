import { sign as signBytes } from "node:crypto";
import { exportSPKI } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { putItems } from "../../support/records/items.ts";
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
// signed by the right key is.

useService();
beforeEach(passTime);

/** Makes the vectors of a class. */
type Vectors = () => readonly string[];

/** Order n of the curve P-256, and prime p of its field. */
const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const [zero, one, order, prime] = [0n, 1n, n, p].map((value) => number(value)) as [Buffer, Buffer, Buffer, Buffer];

const plus = (bytes: Buffer, more: bigint) => number(BigInt(`0x${bytes.toString("hex")}`) + more, 33);

/** Right tokens with other signatures, made of the two numbers of their own. */
function signatures(change: (r: Buffer, s: Buffer) => readonly (readonly Buffer[])[]): Vectors {
  return () => {
    const [header, payload, signature] = partsOf();
    const bytes = Buffer.from(signature, "base64url");
    const others = change(bytes.subarray(0, 32), bytes.subarray(32));
    return others.map((other) => `${header}.${payload}.${encode(Buffer.concat(other))}`);
  };
}

const ofSignature: Record<string, Vectors> = {
  "a number out of range": signatures((r, s) => [[zero, zero], [order, s], [r, order], [Buffer.alloc(64, 255)]]),
  "numbers of nobody": signatures((r, s) => [
    [s, r],
    [one, one],
  ]),
  "another length": signatures((r, s) => [
    [r, s, zero.subarray(0, 1)],
    [plus(r, n), plus(s, 0n)],
    [r, s.subarray(0, 31)],
    [r],
  ]),
  "the form of DER": () => {
    const [header, payload] = partsOf();
    return [`${header}.${payload}.${encode(signBytes("sha256", Buffer.from(`${header}.${payload}`), privateKey))}`];
  },
  "another key's hand": () => [signEncoded(encode(goodHeader), encode(claimsWith()), strangerKey)],
  "another digest": () => [signEncoded(encode(goodHeader), encode(claimsWith()), privateKey, "sha512")],
  "another text's": () => {
    const [header, payload] = partsOf();
    const [, , ofAnother] = partsOf(withClaims({ sub: "901" }));
    return [`${header}.${payload}.${ofAnother}`];
  },
};

const header =
  (name: string, ...values: readonly unknown[]): Vectors =>
  () =>
    values.map((value) => withHeader({ [name]: value }));

/** Tokens whose headers are any bytes, rightly signed. */
function rawHeaders(...texts: readonly (string | Buffer)[]): string[] {
  return texts.map((text) => signEncoded(encode(text), encode(claimsWith())));
}

const publicPem = await exportSPKI(testKeys.publicKey);

const ofHeader: Record<string, Vectors> = {
  "no algorithm and no signature": () =>
    ["none", "nOnE"].map((alg) => `${encode({ ...goodHeader, alg })}.${encode(claimsWith())}.`),
  "another algorithm and a right signature": header(
    "alg",
    "none",
    "es256",
    "ES256\u0000",
    "ES384",
    ["ES256"],
    undefined,
  ),
  "HMAC with the public key": () => [publicPem, JSON.stringify(publicJwk)].map(hmacSigned),
  "two algorithms": () => rawHeaders(`{"alg":"ES256","typ":"at+jwt","kid":"${testKeyId}","alg":"none"}`),
  "a critical extension": () => [["b64"], [], ["unknown"]].map((crit) => withHeader({ crit, b64: true })),
  "a key in it": () => [
    withHeader({ jwk: strangerJwk }, strangerKey),
    withHeader({ kid: "stranger", jwk: { ...strangerJwk, kid: "stranger" } }, strangerKey),
    withHeader({ jwk: publicJwk }),
  ],
  "a key's address": header("jku", "https://attacker.example/keys", "http://127.0.0.1/keys"),
  "a parameter that is not understood": () => [
    withHeader({ zip: "DEF" }),
    ...rawHeaders(`{"__proto__":{"x":1},${JSON.stringify(goodHeader).slice(1)}`),
  ],
  "another type": header("typ", "JWT", "AT+JWT", ["at+jwt"], undefined),
  "another key id": header("kid", "unknown", undefined, "", "__proto__", "k".repeat(65), "../../etc/passwd", [
    testKeyId,
  ]),
  "an altered key id": header("kid", `${testKeyId}\n`, `${testKeyId}\u0000`, testKeyId.toUpperCase()),
  "a form that is no object": () => rawHeaders("[]", "null", "{}"),
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

const ofForm: Record<string, Vectors> = {
  "parts missing": shapes((h, p) => [`${h}.${p}`, "", ".", h]),
  "parts empty": shapes((h, p, s) => [`${h}.${p}.`, "..", `${h}..${s}`, `.${p}.${s}`]),
  "parts too many": shapes((...parts) => [
    `${parts.join(".")}.AAAA.AAAA`,
    `${parts.join(".")}.`,
    `.${parts.join(".")}`,
  ]),
  "parts of another token": shapes((h, p, s) => [
    `${h}.${encode(claimsWith({ sub: "901" }))}.${s}`,
    `${encode({ ...goodHeader, kid: "other" })}.${p}.${s}`,
  ]),
  "JSON around": shapes((h, payload, signature) => [JSON.stringify({ protected: h, payload, signature })]),
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
    [" ", "\n", "\u0000"].flatMap((text) => [
      `${text}${h}.${p}.${s}`,
      `${h}.${p.slice(0, 8)}${text}${p.slice(8)}.${s}`,
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

const oddIds = ["", "0", "-1", "01", " 1", "1.5", "1e3", "९००", "99999999999999999"];
const wanted = ["iss", "aud", "sub", "iat", "exp", "jti", "role", "company", "sid"];

const ofClaims: Record<string, Vectors> = {
  "a user that is no id": claim("sub", "__proto__", 900, ...oddIds, ["900"]),
  "a role that there is not": claim("role", "root", "__proto__", "Admin", "admin\u0000", ["admin"], null),
  "a company that is no id": claim("company", "1", 0, -1, 1.5, 2 ** 53),
  "a session that is no text": claim("sid", null, "", 1, "s".repeat(65)),
  "an end that is no moment": claim("exp", "never", null, "9999999999"),
  "an issue that is no moment": claim("iat", "soon", {}),
  "a beginning that is no moment": claim("nbf", "0", {}),
  "a beginning to come": claim("nbf", 9_999_999_999),
  "another issuer": claim("iss", "another", null, "", "WORKFORCE-TEST", "workforce-test/"),
  "another audience": claim("aud", "workforce-api-2", null, "", "Workforce-Api", ["another"]),
  ...Object.fromEntries(wanted.map((name) => [`no ${name}`, claim(name, undefined)])),
  "a form that is no object": () =>
    ["[]", "{", "null", encode(withClaims())].map((text) => signEncoded(encode(goodHeader), encode(text))),
};

describe.each(Object.entries({ ofSignature, ofHeader, ofForm, ofClaims }))("D4: token_invalid %s", (_, classes) => {
  test("a right token is accepted, so that the refusals below mean something", async () => {
    expect(await outcomeOf(withClaims())).toBe("admin 900");
  });

  test.each(Object.entries(classes))("with %s", async (_name, make) => {
    for (const [index, token] of make().entries())
      expect(await outcomeOf(token), `vector ${index}`).toBe("token_invalid");
  });
});

const { x = "", y = "" } = publicJwk;
const bytesOfX = Buffer.from(x, "base64url");
const besides = encode(number(BigInt(`0x${Buffer.from(y, "base64url").toString("hex")}`) ^ 1n));

const invalidKeys: Record<string, object[]> = {
  "a point that is none": [{ y: besides }, { x: encode(one), y: encode(one) }],
  "a coordinate of another": [{ x: y, y: x }, { x: encode(prime) }],
  "a coordinate of another form": [{ x: loosely(x) }, { x: `${x}=` }, { y: 7 }],
  "a coordinate too long or short": [
    { x: undefined },
    { y: undefined },
    { x: encode(bytesOfX.subarray(1)) },
    { x: encode(Buffer.concat([zero.subarray(0, 1), bytesOfX])) },
  ],
  "another curve": [{ crv: "P-384" }, { crv: undefined }],
  "another type": [{ kty: "oct", k: "AAAA" }, { kty: "ec" }],
  "another use": [{ use: "enc" }, { use: undefined }],
  "another algorithm": [{ alg: "ES384" }, { alg: undefined }],
  "another operation": [["sign"], [], ["verify", "verify"]].map((key_ops) => ({ key_ops })),
  "another id": [{ kid: "elsewhere" }, { kid: ["invalid"] }],
};

test.each(
  Object.entries(invalidKeys),
)("D6: a published key with %s is not used, and the others are", async (_, keys) => {
  for (const [index, changes] of keys.entries()) {
    const jwk = { ...publicJwk, alg: "ES256", use: "sig", kid: "invalid", ...changes };
    await putItems([{ pk: "KEYS", sk: "invalid", jwk: JSON.parse(JSON.stringify(jwk)) }]);
    passTime();
    expect(await outcomeOf(withHeader({ kid: "invalid" })), `key ${index}`).toBe("token_invalid");
    expect(await outcomeOf(withClaims())).toBe("admin 900");
  }
});

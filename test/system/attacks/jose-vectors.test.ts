import { KeyObject, sign as signBytes } from "node:crypto";
import { exportJWK, exportSPKI } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { useService } from "../../support/service/service.ts";
import { payloadOf, testKeyId, testKeys } from "../../support/tokens/tokens.ts";
import {
  caller,
  coordinates,
  der,
  encode,
  expectValidAccepted,
  goodHeader,
  hmacSigned,
  loosely,
  type Make,
  now,
  number,
  order,
  orderOfP256,
  passTime,
  primeOfP256,
  privateKey,
  publicJwk,
  refusalOf,
  reshaped,
  signEncoded,
  stranger,
  uneven,
  unsigned,
  valid,
  withClaims,
  withHeader,
  withPayload,
  withRawHeader,
  withSignature,
  zero,
} from "../../tokens/forged-tokens.ts";

// The classes of invalid vectors of Wycheproof's JOSE sets (JWS, JWK, ECDSA P-256 in P1363 form), made with keys of our
// own, and the musts of RFC 7515, 7517, 7518, 7519, 8725 and 9068. Each is refused for its flaw alone: whatever can be
// signed by the right key is.

useService();
const publicPem = await exportSPKI(testKeys.publicKey);
const strangerJwk = await exportJWK(stranger.publicKey);

beforeEach(passTime);

const signatures: Record<string, Make> = {
  "r = 0 and s = 0": withSignature(() => Buffer.concat([zero, zero])),
  "r = 0": withSignature((_, s) => Buffer.concat([zero, s])),
  "s = 0": withSignature((r) => Buffer.concat([r, zero])),
  "r = n": withSignature((_, s) => Buffer.concat([order, s])),
  "s = n": withSignature((r) => Buffer.concat([r, order])),
  "r = s = n": withSignature(() => Buffer.concat([order, order])),
  "r = n + 1 and s = 1": withSignature(() => Buffer.concat([number(orderOfP256 + 1n), number(1n)])),
  "r = 1 and s = 1": withSignature(() => Buffer.concat([number(1n), number(1n)])),
  "r = n - 1 and s = n - 1": withSignature(() => Buffer.concat([number(orderOfP256 - 1n), number(orderOfP256 - 1n)])),
  "r = p": withSignature((_, s) => Buffer.concat([number(primeOfP256), s])),
  "every bit set": withSignature(() => Buffer.alloc(64, 255)),
  "r + n in 33 bytes": withSignature((r, s) =>
    Buffer.concat([
      number(BigInt(`0x${r.toString("hex")}`) + orderOfP256, 33),
      number(BigInt(`0x${s.toString("hex")}`), 33),
    ]),
  ),
  "r and s in 33 bytes": withSignature((r, s) => Buffer.concat([Buffer.alloc(1), r, Buffer.alloc(1), s])),
  "r and s in 48 bytes": withSignature((r, s) => Buffer.concat([Buffer.alloc(16), r, Buffer.alloc(16), s])),
  "r and s swapped": withSignature((r, s) => Buffer.concat([s, r])),
  "a byte more": withSignature((r, s) => Buffer.concat([r, s, Buffer.alloc(1)])),
  "a byte before": withSignature((r, s) => Buffer.concat([Buffer.alloc(1), r, s])),
  "a byte less": withSignature((r, s) => Buffer.concat([r, s.subarray(0, 31)])),
  "its first byte missing": withSignature((r, s) => Buffer.concat([r.subarray(1), s])),
  "r alone": withSignature((r) => r),
  "one byte": withSignature(() => Buffer.alloc(1)),
  "itself twice": withSignature((r, s) => Buffer.concat([r, s, r, s])),
  "one bit changed": withSignature((r, s) => Buffer.concat([Buffer.from(r).fill((r[0] ?? 0) ^ 1, 0, 1), s])),
  "the form of DER": der,
  "the form of an empty DER sequence": withSignature(() => Buffer.from("3000", "hex")),
  "DER of r = 0 and s = 0": withSignature(() => Buffer.from("3006020100020100", "hex")),
  "another key's hand": () =>
    signEncoded(encode(goodHeader), encode(payloadOf(caller, now)), KeyObject.from(stranger.privateKey)),
  "SHA-512": reshaped((header, payload) => {
    const options = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
    const signature = signBytes("sha512", Buffer.from(`${header}.${payload}`), options);
    return `${header}.${payload}.${signature.toString("base64url")}`;
  }),
  "another token's signature": reshaped(
    (header, payload) => `${header}.${payload}.${withClaims({ sub: "901" })().split(".")[2]}`,
  ),
  "a signature over the payload alone": reshaped((header, payload) => {
    const signature = signBytes("sha256", Buffer.from(payload), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${header}.${payload}.${signature.toString("base64url")}`;
  }),
};

const algorithms: Record<string, Make> = {
  ...Object.fromEntries(
    ["none", "None", "NONE", "nOnE"].flatMap((alg) => [
      [`${alg} and no signature`, unsigned(alg)],
      [`${alg} and a right signature`, withHeader({ alg })],
    ]),
  ),
  ...Object.fromEntries(
    [
      "es256",
      "ES256 ",
      " ES256",
      "ES256\u0000",
      "ES384",
      "ES512",
      "ES256K",
      "EdDSA",
      "Ed25519",
      "RS256",
      "PS256",
      "HS256",
    ]
      .concat(["ECDH-ES", "dir", "A256GCM", ""])
      .map((alg) => [`${JSON.stringify(alg)} and a right signature`, withHeader({ alg })]),
  ),
  ...Object.fromEntries(
    [null, true, 256, ["ES256"], { name: "ES256" }].map((alg) => [`${JSON.stringify(alg)}`, withHeader({ alg })]),
  ),
  "none at all": withHeader({ alg: undefined }),
  "HS256 with the PEM of the public key": hmacSigned("HS256", publicPem),
  "HS256 with the trimmed PEM": hmacSigned("HS256", publicPem.trim()),
  "HS256 with the DER of the public key": hmacSigned(
    "HS256",
    Buffer.from(publicPem.replace(/-----.*?-----/g, ""), "base64"),
  ),
  "HS256 with the point of the public key": hmacSigned("HS256", coordinates),
  "HS256 with the marked point of the public key": hmacSigned("HS256", Buffer.concat([Buffer.from([4]), coordinates])),
  "HS256 with x": hmacSigned("HS256", Buffer.from(publicJwk.x ?? "", "base64url")),
  "HS256 with the JWK of the public key": hmacSigned("HS256", JSON.stringify(publicJwk)),
  "HS256 with an empty secret": hmacSigned("HS256", ""),
  "HS384 with the PEM of the public key": hmacSigned("HS384", publicPem),
  "HS512 with the PEM of the public key": hmacSigned("HS512", publicPem),
  "ES256 named first and none last": withRawHeader(`{"alg":"ES256","typ":"at+jwt","kid":"${testKeyId}","alg":"none"}`),
};

const headers: Record<string, Make> = {
  ...Object.fromEntries(
    [[], [""], ["exp"], ["alg"], ["b64"], ["b64", "b64"], ["unknown"], "b64", null, {}, 1, [null]].map((crit) => [
      `crit ${JSON.stringify(crit)}`,
      withHeader({ crit, b64: true, exp: 1 }),
    ]),
  ),
  "crit naming what is not there": withHeader({ crit: ["absent"] }),
  "b64 false": withHeader({ b64: false }),
  "the right key in jwk": withHeader({ jwk: publicJwk }),
  "a stranger's key in jwk, signed by it": () =>
    signEncoded(
      encode({ ...goodHeader, jwk: strangerJwk }),
      encode(payloadOf(caller, now)),
      KeyObject.from(stranger.privateKey),
    ),
  "a stranger's key in jwk under an unknown kid": () =>
    signEncoded(
      encode({ ...goodHeader, kid: "stranger", jwk: { ...strangerJwk, kid: "stranger" } }),
      encode(payloadOf(caller, now)),
      KeyObject.from(stranger.privateKey),
    ),
  jku: withHeader({ jku: "https://attacker.example/keys" }),
  "jku to this machine": withHeader({ jku: "http://127.0.0.1/keys" }),
  x5u: withHeader({ x5u: "https://attacker.example/chain.pem" }),
  x5c: withHeader({ x5c: ["MIIB"] }),
  x5t: withHeader({ x5t: "AAAA" }),
  "x5t#S256": withHeader({ "x5t#S256": "AAAA" }),
  zip: withHeader({ zip: "DEF" }),
  cty: withHeader({ cty: "JWT" }),
  enc: withHeader({ enc: "A256GCM" }),
  "p2c of a billion": withHeader({ p2c: 1_000_000_000, p2s: "AAAA" }),
  "an unknown parameter": withHeader({ colour: "red" }),
  "a __proto__ parameter": withRawHeader(`{"__proto__":{"x":1},${JSON.stringify(goodHeader).slice(1)}`),
  "typ JWT": withHeader({ typ: "JWT" }),
  "typ AT+JWT": withHeader({ typ: "AT+JWT" }),
  "typ rt+jwt": withHeader({ typ: "rt+jwt" }),
  "typ as a list": withHeader({ typ: ["at+jwt"] }),
  "no typ": withHeader({ typ: undefined }),
  "no kid": withHeader({ kid: undefined }),
  "an empty kid": withHeader({ kid: "" }),
  "an unknown kid": withHeader({ kid: "unknown" }),
  "kid __proto__": withHeader({ kid: "__proto__" }),
  "a kid in other letters": withHeader({ kid: testKeyId.toUpperCase() }),
  "a kid followed by a line end": withHeader({ kid: `${testKeyId}\n` }),
  "a kid of 65 letters": withHeader({ kid: "k".repeat(65) }),
  "a list as header": withRawHeader("[]"),
  "text as header": withRawHeader('"ES256"'),
  "null as header": withRawHeader("null"),
  "an empty object as header": withRawHeader("{}"),
  "a header that is no JSON": withRawHeader("alg=ES256"),
  "a header with a comma too many": withRawHeader(`${JSON.stringify(goodHeader).slice(0, -1)},}`),
  "a header after a byte order mark": withRawHeader(`\uFEFF${JSON.stringify(goodHeader)}`),
  "a header followed by another": withRawHeader(JSON.stringify(goodHeader).repeat(2)),
  "a header that is not UTF-8": withRawHeader(Buffer.concat([Buffer.from('{"alg":"ES256"'), Buffer.from([255, 125])])),
};

const forms: Record<string, Make> = {
  nothing: () => "",
  "a dot": () => ".",
  "two dots": () => "..",
  "one part": reshaped((header) => header),
  "no signature": reshaped((header, payload) => `${header}.${payload}.`),
  "no signature and no dot": reshaped((header, payload) => `${header}.${payload}`),
  "no payload": reshaped((header, _, signature) => `${header}..${signature}`),
  "no payload and no dot": reshaped((header, _, signature) => `${header}.${signature}`),
  "no header": reshaped((_, payload, signature) => `.${payload}.${signature}`),
  "no header and no dot": reshaped((_, payload, signature) => `${payload}.${signature}`),
  "the payload alone between dots": reshaped((_, payload) => `.${payload}.`),
  "a fourth, empty part": () => `${valid()}.`,
  "a fourth part": () => `${valid()}.foo`,
  "an empty part before": () => `.${valid()}`,
  "the five parts of a JWE": () => `${valid()}.AAAA.AAAA`,
  "a changed payload": reshaped(
    (header, _, signature) => `${header}.${encode({ ...payloadOf(caller, now), sub: "901" })}.${signature}`,
  ),
  "a changed header": reshaped(
    (_, payload, signature) => `${encode({ ...goodHeader, kid: "other" })}.${payload}.${signature}`,
  ),
  "the flattened JSON form": reshaped((header, payload, signature) =>
    JSON.stringify({ protected: header, payload, signature }),
  ),
  "the general JSON form": reshaped((header, payload, signature) =>
    JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
  ),
  "a padded header": () => signEncoded(`${encode(goodHeader)}=`, encode(payloadOf(caller, now))),
  "a padded payload": () => signEncoded(encode(goodHeader), `${encode(payloadOf(caller, now))}=`),
  "a padded signature": () => `${valid()}==`,
  "spare bits in the header": () => signEncoded(loosely(encode(uneven(goodHeader))), encode(payloadOf(caller, now))),
  "spare bits in the payload": () => signEncoded(encode(goodHeader), loosely(encode(uneven(payloadOf(caller, now))))),
  "spare bits in the signature": () => loosely(valid()),
  "one letter too many in the header": () =>
    signEncoded(
      `${encode(`${JSON.stringify(goodHeader)}${" ".repeat(3 - (JSON.stringify(goodHeader).length % 3))}`)}A`,
      encode(payloadOf(caller, now)),
    ),
  "plain base64 in the payload": withPayloadInBase64(),
  ...Object.fromEntries(
    [" ", "\t", "\n", "\r\n", "\u0000", "\u00a0", "\u200b", "\uFEFF", "%2E", "*", "é"].flatMap((text) => [
      [`${JSON.stringify(text)} before`, () => `${text}${valid()}`],
      [
        `${JSON.stringify(text)} within the payload`,
        reshaped((h, p, s) => `${h}.${p.slice(0, 8)}${text}${p.slice(8)}.${s}`),
      ],
      [`${JSON.stringify(text)} around a dot`, reshaped((h, p, s) => `${h}${text}.${text}${p}.${s}`)],
      [`${JSON.stringify(text)} after`, () => `${valid()}${text}`],
    ]),
  ),
  "letters of full width": () => valid().replace("e", "\uFF45"),
  "dots of full width": () => valid().replaceAll(".", "\u3002"),
  "4,097 characters": () => {
    const frame = withClaims({ padding: "" })().length;
    return withClaims({ padding: "x".repeat(Math.ceil(((4097 - frame) * 3) / 4) + 1) })();
  },
  "1 MB": () => withClaims({ padding: "x".repeat(1_000_000) })(),
};

function withPayloadInBase64(): Make {
  return () => {
    const payload = Buffer.from(JSON.stringify({ ...payloadOf(caller, now), note: "???>>>~~~" })).toString("base64");
    return signEncoded(encode(goodHeader), payload.replace(/=*$/, "").replace(/^(.{8})/, "$1+"));
  };
}

const claims: Record<string, Make> = {
  ...Object.fromEntries(
    [
      null,
      900,
      "",
      "0",
      "-1",
      "+1",
      "01",
      " 1",
      "1 ",
      "1.0",
      "1e3",
      "0x10",
      "९००",
      "99999999999999999",
      ["900"],
      {},
    ].map((sub) => [`sub ${JSON.stringify(sub)}`, withClaims({ sub })]),
  ),
  ...Object.fromEntries(
    [null, "", "Admin", "root", "admin ", "admin\u0000", ["admin"], { admin: true }, 1, true, "__proto__"].map(
      (role) => [`role ${JSON.stringify(role)}`, withClaims({ role })],
    ),
  ),
  ...Object.fromEntries(
    ["1", 0, -1, 1.5, 2 ** 53, [1], {}, true, ""].map((company) => [
      `company ${JSON.stringify(company)}`,
      withClaims({ company }),
    ]),
  ),
  ...Object.fromEntries(
    [null, "", 1, "s".repeat(65), ["session-1"]].map((sid) => [
      `sid ${JSON.stringify(sid).slice(0, 20)}`,
      withClaims({ sid }),
    ]),
  ),
  ...Object.fromEntries(
    [null, "9999999999", "never", true, [9_999_999_999], {}].map((exp) => [
      `exp ${JSON.stringify(exp)}`,
      withClaims({ exp }),
    ]),
  ),
  ...Object.fromEntries(["soon", {}, [], true].map((iat) => [`iat ${JSON.stringify(iat)}`, withClaims({ iat })])),
  ...Object.fromEntries(["0", {}, [], true].map((nbf) => [`nbf ${JSON.stringify(nbf)}`, withClaims({ nbf })])),
  "nbf to come": withClaims({ nbf: 9_999_999_999 }),
  ...Object.fromEntries(
    [null, "", "workforce-test ", "WORKFORCE-TEST", "workforce-test/", {}, 1].map((iss) => [
      `iss ${JSON.stringify(iss)}`,
      withClaims({ iss }),
    ]),
  ),
  ...Object.fromEntries(
    [null, "", "workforce", "workforce-api-2", "Workforce-Api", [], ["another"], {}, 1].map((aud) => [
      `aud ${JSON.stringify(aud)}`,
      withClaims({ aud }),
    ]),
  ),
  ...Object.fromEntries(
    ["iss", "aud", "sub", "iat", "exp", "jti", "role", "company", "sid"].map((name) => [
      `no ${name}`,
      withClaims({ [name]: undefined }),
    ]),
  ),
  "a payload that is a list": withPayload("[]"),
  "a payload that is text": withPayload('"admin"'),
  "a payload that is null": withPayload("null"),
  "a payload that is a number": withPayload("7"),
  "a payload that is no JSON": withPayload("foo"),
  "a payload that is another token": () => signEncoded(encode(goodHeader), encode(valid())),
};

describe.each([
  ["a signature", signatures],
  ["the algorithm", algorithms],
  ["the header", headers],
  ["the form", forms],
  ["claims", claims],
])("D4: token_invalid for %s", (_, vectors) => {
  test("a right token is accepted, so that the refusals below mean something", expectValidAccepted);

  test.each(Object.entries(vectors))("with %s", async (_name, make) => {
    expect(await refusalOf(make())).toBe("token_invalid");
  });
});

test("RFC 7515 A.3: the example signed with ES256 is refused: its key is none of ours", async () => {
  const token =
    "eyJhbGciOiJFUzI1NiJ9" +
    ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ" +
    ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
  expect(await refusalOf(token)).toBe("token_invalid");
});

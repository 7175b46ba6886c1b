import { expect, test } from "vitest";
import { maskBody, maskHeaders, maskQuery, maskText, maskValue } from "../../../infra/local/desk/mask.ts";

const secret = "s3cret-value";
const apiKey = `wfk_0123abcd_7_12_${"-S3cret_".repeat(5)}abc`;
const jwt = `eyJhbGciOiJFUzI1NiJ9.${"a".repeat(20)}.${"b".repeat(20)}`;

test.each([
  "password",
  "password_confirmation",
  "pin",
  "new_pin",
  "passcode",
  "token",
  "access_token",
  "refresh_token",
  "reset_password_token",
  "Authorization",
])("the value of %s is masked at any depth, as text and as a number", (name) => {
  const body = JSON.stringify({ user: { login: "kept", list: [{ [name]: secret }, { [name]: 123_456 }] } });
  const kept = maskBody(body);
  expect(kept).not.toContain(secret);
  expect(kept).not.toContain("123456");
  expect(JSON.parse(kept).user.login).toBe("kept");
});

test.each([
  `{"password":"${secret}","password":null}`,
  `{"user":{"pin":"${secret}"}, "user" : {"login":"a: \\"b\\":"}}`,
  `[{"p\\u0069n":"${secret}","pin":[]}]`,
])("a name that is there twice hides nothing: what is kept is what a parser reads: %s", (body) => {
  expect(maskBody(body)).toBe(JSON.stringify(JSON.parse(body)));
  expect(maskBody(body)).not.toContain(secret);
});

test("a token in the first of two members of one name is not kept", () => {
  expect(maskBody(`{"a":"${jwt}","a":1}`)).toBe('{"a":1}');
});

const inner = JSON.stringify({ login: "kept", pin: secret });

test.each([
  ["an escaped name", `{"p\\u0061ssword":"${secret}"}`],
  ["half of JSON", `{"password": "${secret}"`],
  ["no JSON for a comma too many", `{"user":{"login":"a@b.example","pin":"${secret}",}}`],
  ["no JSON, its name escaped", `{"p\\u0069n":"${secret}",}`],
  ["a form", `login=a%40b.example&pin=${secret}`],
  ["a form with an escaped name", `user%5Bp%61ssword%5D=${secret}`],
  ["a form with an escape that is none of UTF-8", `a=%ff&p%69n=${secret}`],
  ["a list", `{"password":["${secret}", 123456, ["${secret}"]]}`],
  ["text with a token", `<note>${jwt.replaceAll("a", "123456")}</note>`],
  ["half of JSON in a text", JSON.stringify({ Message: inner.slice(0, -2) })],
])("a body keeps no secret where it is %s", (_, body) => {
  expect(maskBody(body)).not.toMatch(/s3cret-value|123456/);
});

test.each([
  ["a text", JSON.stringify({ Message: ` ${inner}` })],
  ["a text of a text", JSON.stringify({ Message: JSON.stringify({ detail: inner }) })],
  ["the whole text", JSON.stringify(inner)],
  ["a list's text", JSON.stringify([inner])],
])("JSON in %s hides no secret", (_, body) => {
  expect(maskBody(body)).not.toContain(secret);
  expect(maskBody(body)).toContain("kept");
  expect(JSON.stringify(maskValue({ body }))).not.toContain(secret);
});

test.each([
  '{ "a": 1,\n "timesheet": {"ids": [1, 2]}, "pinned": true }',
  '{"pinned":5,"shipping":["x"],"opinion":"x"}',
  "{ half",
])("what names no secret stays as it was written: %s", (body) => {
  expect(maskBody(body)).toBe(body);
});

test("what names a secret and holds none is what a parser reads", () => {
  expect(maskBody('{ "tokens": {"fcm": []} }')).toBe('{"tokens":{"fcm":[]}}');
});

test("what is kept beside a secret has its place in lists and objects", () => {
  expect(maskBody('{"a":[{"pin":1},[2,"x"]],"b":null}')).toBe('{"a":[{"pin":"(masked)"},[2,"x"]],"b":null}');
});

test("texts that only look like JSON stay, and queries without secrets", () => {
  const harmless = JSON.stringify({
    a: '{ "b": 1 }',
    note: "[the pin was sent",
    said: "the pin was sent",
    other: "x: {",
  });
  expect(JSON.parse(maskBody(harmless))).toMatchObject({ a: '{ "b": 1 }', said: "the pin was sent", other: "x: {" });
  expect(maskQuery("by_state=paid&page=2&login=a%40b")).toBe("by_state=paid&page=2&login=a%40b");
});

test("a body is kept up to 64 KB, and says how much there was", () => {
  const kept = maskBody("x".repeat(64 * 1024 + 7));
  expect(kept).toMatch(/… \(7 more characters\)$/);
});

test("tokens are masked wherever they stand: headers, queries, log lines, values", () => {
  // The header Known-Client carries a refresh token.
  const secrets = { authorization: `Bearer ${jwt}`, cookie: "a=b", "known-client": "r-1-2", "Known-Client": "r-1-2" };
  const masked = Object.fromEntries(Object.keys(secrets).map((name) => [name, "(masked)"]));
  const headers = maskHeaders({ ...secrets, "x-note": `see ${jwt}`, "x-age": 3 });
  expect(headers).toEqual({ ...masked, "x-note": "see (masked)", "x-age": "3" });
  for (const kept of [maskQuery(`next=${jwt}`), maskText(`logged ${jwt}`), JSON.stringify(maskValue({ note: jwt }))]) {
    expect(kept).not.toContain("aaaa");
  }
});

test.each([
  "pin[]=5",
  "pin%5B%5D=5",
  "p%69n=5",
  "user[new_pin]=5",
  "%ff=1&pin=5",
])("a query keeps no secret: %s", (query) => {
  expect(maskQuery(query)).not.toContain("=5");
});

test("text that begins a token over and over is read in time", () => {
  const text = "-eyJ".repeat(80 * 1024);
  expect(maskText(text)).toBe(text);
});

test("a body above 256 KB is not read, and not kept", () => {
  expect(maskBody("x".repeat(262_144))).toMatch(/^x+… /);
  expect(maskBody("x".repeat(262_145))).toBe("(262145 characters)");
});

test("values are kept to a depth, beyond which nothing is", () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  expect(maskBody(deep)).toBe(`${"[".repeat(100)}"(masked)"${"]".repeat(100)}`);
  const allowed = `${"[".repeat(100)}1${"]".repeat(100)}`;
  expect(maskBody(allowed)).toBe(allowed);
});

test("an API key is kept nowhere, whatever its name", () => {
  const kept = [
    maskText(`curl failed: Bearer ${apiKey}, 401`),
    maskBody(`<note>${apiKey}</note>`),
    maskBody(JSON.stringify({ note: apiKey, list: [`x${apiKey}`] })),
    maskQuery(`q=${apiKey}&note=kept`),
    JSON.stringify(maskHeaders({ "x-note": apiKey })),
  ];
  expect(kept.join("\n")).not.toMatch(/S3cret|wfk_/);
  expect(kept[3]).toBe("q=(masked)&note=kept");
});

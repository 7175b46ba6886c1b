import { expect, test } from "vitest";
import { handler as profileHandler } from "../../../functions/accounts/get-profile.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { resetTokenOf, setNewPassword } from "../../support/requests/accounts.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith, signInAs } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const password = "a harbour before dawn";

useSigningKey();
const own = useOwnUser(() => ({ password }));

/** The kinds of tokens: how each is used, and what is answered to another text in its place. */
const kinds = {
  access: {
    use: (token: unknown): Promise<TestAnswer> =>
      call(profileHandler, getProfile, { headers: { authorization: `Bearer ${token}` } }),
    refusals: ["token_invalid"],
  },
  refresh: { use: refreshWith, refusals: ["refresh_token_invalid", "body_too_large", "fields_invalid"] },
  reset: {
    use: (token: unknown): Promise<TestAnswer> => setNewPassword(token, password),
    refusals: ["reset_token_invalid", "body_too_large", "fields_invalid"],
  },
} as const;
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as Kind[];

async function makeTokens(): Promise<Record<Kind, string>> {
  const { access_token, refresh_token } = await signInAs(own.login, password);
  return { access: access_token, refresh: refresh_token, reset: await resetTokenOf(service, own.login) };
}

/** Uses each token for its own work, so that the refusals before mean something. */
async function expectStillGood(tokens: Record<Kind, string>): Promise<void> {
  for (const kind of names) expect((await kinds[kind].use(tokens[kind])).status, kind).toBe(200);
}

/** Every way to spoil an opaque token that a careless store, parser or comparison might let through. */
function spoilt(token: string): Record<string, unknown> {
  const half = token.length >> 1;
  const other = token.at(half) === "A" ? "B" : "A";
  return {
    "one letter changed": token.slice(0, half) + other + token.slice(half + 1),
    "its last letter missing": token.slice(0, -1),
    "its first letter missing": token.slice(1),
    "a letter more": `${token}A`,
    "itself twice": token + token,
    "other letters": token.toUpperCase(),
    "a space before": ` ${token}`,
    "a space after": `${token} `,
    "a space within": `${token.slice(0, half)} ${token.slice(half)}`,
    "a line end after": `${token}\n`,
    "NUL after": `${token}\u0000`,
    padding: `${token}=`,
    "escaped letters": `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
    "spare bits": token.slice(0, -1) + (token.endsWith("B") ? "C" : "B"),
    "SQL around": `' OR '1'='1' -- ${token}`,
    "a wildcard": "*",
    "nothing but a dot": ".",
    "1 MB": "a".repeat(1_000_000),
    "200 letters": "a".repeat(200),
    "an empty text": "",
    "nothing (null)": null,
    "a list": [token],
    "an object": { $eq: token },
    "a number": 7,
    true: true,
  };
}

test("D4, D5, D14: a token of each kind is none of the others, and trying it spends nothing", async () => {
  const tokens = await makeTokens();
  for (const kind of names) {
    const { use, refusals } = kinds[kind];
    for (const other of names.filter((each) => each !== kind)) {
      const answer = await use(tokens[other]);
      expectProblem(answer, answer.status, refusals);
    }
  }
  await expectStillGood(tokens);
});

test.each(names)("a spoilt %s token is refused, whatever was done to it, and spends nothing", async (kind) => {
  const tokens = await makeTokens();
  const { use, refusals } = kinds[kind];
  for (const [name, token] of Object.entries(spoilt(tokens[kind]))) {
    if (kind === "access" && typeof token !== "string") continue;
    const answer = await use(token);
    // A space at an end is no part of a header's value: HTTP drops it, and so may the service.
    if (kind === "access" && /space (before|after)/.test(name) && answer.status === 200) continue;
    expect([401, 413, 422], name).toContain(answer.status);
    expectProblem(answer, answer.status, refusals);
  }
  await expectStillGood(tokens);
});

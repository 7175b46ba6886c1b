import { beforeAll, beforeEach, expect, test } from "vitest";
import { handler as confirmHandler } from "../../../../functions/accounts/confirm-login-by-body.ts";
import { handler as registerHandler } from "../../../../functions/accounts/register-user.ts";
import { handler as resetHandler } from "../../../../functions/accounts/request-password-reset.ts";
import { handler as signInHandler } from "../../../../functions/sessions/sign-in.ts";
import { handler as rotate } from "../../../../functions/workers/rotate-signing-key.ts";
import { confirmLoginByBody, registerUser, requestPasswordReset } from "../../../../shared/contract/accounts.ts";
import { signIn } from "../../../../shared/contract/sessions.ts";
import { userLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { call, type TestAnswer } from "../../../support/requests/call.ts";
import { forgetLimits } from "../../../support/requests/limits.ts";
import { useService } from "../../../support/service/service.ts";

const service = useService();
const password = "a harbour before dawn";
const known = { email: "known@example.com", phone: "+447400123450" };
const unknown = { email: "nobody@example.com", phone: "+447400123459" };

beforeAll(async () => {
  await rotate();
  await store([
    userLine(10, { email: known.email, phone_number: known.phone, password }),
    userLine(12, { email: "bare@example.com" }),
  ]);
});

beforeEach(() => forgetLimits(service));

const flows: Record<string, (login: string) => Promise<TestAnswer>> = {
  "a password request": (login) => call(resetHandler, requestPasswordReset, { body: { user: { login } } }),
  "a sign-in": (login) => call(signInHandler, signIn, { body: { user: { login, password: "not the password" } } }),
  "a registration": (login) =>
    call(registerHandler, registerUser, {
      body: { user: { login, password, first_name: "Robin", last_name: "Field" } },
    }),
  "a wrong pin": (login) => call(confirmHandler, confirmLoginByBody, { body: { user: { login, pin: "000000" } } }),
};

/** What an answer shows beside what the caller sent, the id made of it, and the moment. */
function shapeOf({ status, headers, body }: TestAnswer, login: string): string {
  const { "x-request-id": _id, ...shown } = headers;
  const text = JSON.stringify([status, shown, body])
    .replaceAll(login, "LOGIN")
    .replace(/"id":[1-9][0-9]{0,15}(?=[,}])/, '"id":ID')
    .replace(/"request_id":"[^"]+"/, '"request_id":ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, "MOMENT");
  return text;
}

test.each(
  Object.keys(flows).flatMap((flow) => (["email", "phone"] as const).map((kind) => ({ flow, kind }))),
)("D12, D13, D15, D16: $flow with a known and an unknown $kind gets the same status, headers and body", async ({
  flow,
  kind,
}) => {
  const send = flows[flow] as (login: string) => Promise<TestAnswer>;
  const shapes = [];
  for (const login of [known[kind], unknown[kind]]) {
    // Asked until it is refused, so that the limits are compared as well.
    const seen = [];
    for (let tries = 0; tries < 12; tries += 1) seen.push(shapeOf(await send(login), login));
    shapes.push(seen);
  }
  expect(shapes[0]).toEqual(shapes[1]);
});

test("D12: the id shown for a login is stable, differs by login, and is not the user's", async () => {
  const ids = [];
  for (const login of [known.email, known.email, unknown.email]) {
    await forgetLimits(service);
    ids.push((await flows["a password request"]?.(login))?.body.user.id);
  }
  expect(ids[0]).toBe(ids[1]);
  expect(ids[0]).not.toBe(ids[2]);
  expect(ids[0]).not.toBe(10);
});

test("D5, D15: a login without a password is refused as one with a wrong password is", async () => {
  const send = flows["a sign-in"] as (login: string) => Promise<TestAnswer>;
  const [bare, wrong] = [await send("bare@example.com"), await send(known.email)];
  expect(shapeOf(bare, "bare@example.com")).toBe(shapeOf(wrong, known.email));
});

import { beforeEach, expect, test } from "vitest";
import { handler as registerHandler } from "../../../functions/accounts/register-user.ts";
import { handler as registerDevice } from "../../../functions/devices/register-device-token.ts";
import { registerUser } from "../../../shared/contract/accounts.ts";
import { registerDeviceToken } from "../../../shared/contract/devices.ts";
import { call } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";

const service = useService();
const operator = { id: 2, role: "operator", company_id: 1 } as const;
const password = "seven quiet harbours";
let lastUser = 0;

beforeEach(() => forgetLimits(service));

function register(first_name: string) {
  lastUser += 1;
  const user = { login: `text-${lastUser}@example.com`, password, first_name, last_name: "Holt" };
  return call(registerHandler, registerUser, { body: { user } });
}

test.each([
  ["a noncharacter of the first plane", "X\uffff"],
  ["another one", "\ufffe"],
  ["one in the middle of the plane", "\ufdd0"],
  ["one of a higher plane", "\u{1ffff}"],
  ["half a surrogate pair", "X\ud800"],
  ["a NUL", "X\0"],
])("a name with %s is refused, and nothing is queued", async (_, name) => {
  const answer = await register(name);
  expectProblem(answer, 422, "fields_invalid");
  expect(answer.body.errors).toMatchObject([{ pointer: "/user/first_name", code: "invalid" }]);
  expect(await takeMessages("PIN_QUEUE_URL")).toEqual([]);
});

test("a name of 400 combining marks is too long", async () => {
  const answer = await register("\u0301".repeat(400));
  expectProblem(answer, 422, "fields_invalid");
  expect(answer.body.errors).toMatchObject([{ pointer: "/user/first_name", code: "too_long" }]);
});

test.each([
  "😀",
  "👩‍🚒 Ada",
  "e\u0301".repeat(100),
  "\ufffd",
  "محمد",
  "\u007f",
])("the name %j is taken", async (name) => {
  const answer = await register(name);
  expect(answer).toMatchObject({ status: 200, body: { user: { first_name: name } } });
  expect(await takeMessages("PIN_QUEUE_URL")).toHaveLength(2);
});

test("a device token with a noncharacter is refused", async () => {
  const body = { notification: { token: "abc\uffff" } };
  expectProblem(await call(registerDevice, registerDeviceToken, { as: operator, body }), 422, "fields_invalid");
});

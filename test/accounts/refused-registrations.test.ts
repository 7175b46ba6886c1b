import { PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, test } from "vitest";
import { handler } from "../../functions/accounts/register-user.ts";
import { registerUser } from "../../shared/contract/accounts.ts";
import { call } from "../support/requests/call.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { useService } from "../support/service/service.ts";

useService();
const password = "seven quiet harbours";
const names = { first_name: "Ada", last_name: "Holt" };

afterEach(async () => {
  process.env.REGISTRATION = "open";
  await new SQSClient({}).send(new PurgeQueueCommand({ QueueUrl: process.env.PIN_QUEUE_URL }));
});

function register(changes: Record<string, unknown> = {}) {
  return call(handler, registerUser, { body: { user: { login: "new@example.com", password, ...names, ...changes } } });
}

async function queuedMessages() {
  const QueueUrl = process.env.PIN_QUEUE_URL;
  const { Messages = [] } = await new SQSClient({}).send(new ReceiveMessageCommand({ QueueUrl }));
  return Messages;
}

describe("404", () => {
  test("D16: while registration is closed the path is not there, and nothing is queued", async () => {
    process.env.REGISTRATION = "closed";
    expectProblem(await register(), 404, "route_not_found");
    expect(await queuedMessages()).toEqual([]);
  });

  test.each([
    ["no body", undefined],
    ["malformed JSON", "{"],
    ["missing fields", { user: {} }],
    ["a common password", { user: { login: "a@example.com", password: "password123", ...names } }],
  ])("D16, D31: while registration is closed the path is not there for %s either", async (_, body) => {
    process.env.REGISTRATION = "closed";
    expectProblem(await call(handler, registerUser, { body }), 404, "route_not_found");
  });
});

describe("422", () => {
  test.each([
    ["D7: neither e-mail nor phone", { login: "nobody" }, "login", "invalid"],
    ["a missing login", { login: undefined }, "login", "missing"],
    ["D15: 7 characters", { password: "xq7 wv2" }, "password", "invalid"],
    ["D15: 129 characters", { password: "x".repeat(129) }, "password", "invalid"],
    ["D15: a password many people use", { password: "PASSWORD123" }, "password", "common"],
    ["a missing password", { password: undefined }, "password", "missing"],
    ["an empty first name", { first_name: "" }, "first_name", "too_short"],
    ["a missing last name", { last_name: undefined }, "last_name", "missing"],
    ["201 characters of name", { last_name: "x".repeat(201) }, "last_name", "too_long"],
    ["a NUL in a name", { first_name: "A\u0000da" }, "first_name", "invalid"],
    ["a name of another type", { first_name: { a: 1 } }, "first_name", "wrong_type"],
  ])("%s is named, and nothing is queued", async (_, changes, field, code) => {
    const answer = await register(changes);
    expectProblem(answer, 422, "fields_invalid");
    expect(answer.body.errors).toMatchObject([{ pointer: `/user/${field}`, code }]);
    expect(await queuedMessages()).toEqual([]);
  });

  test("D11: a phone number of a country off the allow-list is country_not_served", async () => {
    expectProblem(await register({ login: "+33612345678" }), 422, "country_not_served");
    expect(await queuedMessages()).toEqual([]);
  });

  test.each([
    ["+449098790000", "premium"],
    ["+442079460958", "landline"],
    ["+353990000000", "of unknown kind"],
  ])("D7: nobody registers with %s, which is %s: country_not_served, and nothing is queued", async (phone) => {
    expectProblem(await register({ login: phone }), 422, "country_not_served");
    expect(await queuedMessages()).toEqual([]);
  });
});

import { expect, test } from "vitest";
import { streamFilters } from "../../../infra/functions/stream-filters.ts";
import { resolveValue } from "../../../infra/runtime/stack/references.ts";
import { readStack } from "../../../infra/runtime/stack/template.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { synthesizedTemplate } from "../../support/service/made-stack.ts";

const template = await synthesizedTemplate();
const place = { region: "eu-west-2", queueEndpoint: "http://127.0.0.1:9" };
const stack = readStack(template, "/bundles", place);

test("an intrinsic function that is unknown is named", () => {
  const names = { ref: (id: string) => id, attribute: (id: string) => id };
  expect(() => resolveValue({ "Fn::ImportValue": "x" }, names)).toThrow(/Fn::ImportValue/);
});

test("each function has its build and its settings, with local names; the CDK's own are left out", () => {
  const PIN_QUEUE_URL = expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/000000000000\/PinsQueue[0-9A-F]{8}$/);
  const HMAC_SECRET_ARN = "arn:aws:secretsmanager:eu-west-2:000000000000:secret:workforce/local/hmac-key-local0";
  expect(stack.functions.find(({ name }) => name === "request-password-reset")).toEqual({
    name: "request-password-reset",
    directory: "/bundles/request-password-reset",
    timeoutSeconds: 20,
    memoryMegabytes: 512,
    environment: expect.objectContaining({ TABLE_NAME: "workforce-local-records", HMAC_SECRET_ARN, PIN_QUEUE_URL }),
  });
  for (const { name, environment } of stack.functions) expect(environment.OPERATION).toBe(name);
});

test("routes and queues lead to functions", () => {
  for (const { name, method, path } of operations) {
    expect(stack.routes).toContainEqual({ routeKey: `${method} ${path}`, functionName: name });
  }
  expect(stack.mappings).toContainEqual({
    queueName: expect.stringMatching(/^PinsQueue[0-9A-F]{8}$/),
    functionName: "deliver-pin",
    batchSize: 10,
    reportsItemFailures: true,
  });
});

test("the table's stream leads to functions, with the filters that each mapping names", () => {
  expect(stack.streamMappings.map(({ functionName }) => functionName)).toEqual(["keep-history", "notify"]);
  expect(stack.streamMappings[1]).toMatchObject({
    streamArn: `arn:aws:dynamodb:eu-west-2:000000000000:table/${stack.table.name}/stream/local`,
    batchSize: 100,
    filters: streamFilters.notify,
  });
  for (const { functionName, bisects, reportsItemFailures } of stack.streamMappings)
    expect([bisects, reportsItemFailures], functionName).toEqual([true, true]);
});

test("event buses lead to queues; schedules and triggers to functions", () => {
  const intake = { busName: "workforce-local", pattern: { source: [{ prefix: "" }] } };
  const queueNames = [expect.stringMatching(/^IntakeQueue/)];
  expect(stack.buses).toEqual({
    names: ["workforce-local-outbound", "workforce-local"],
    rules: [{ ...intake, queueNames }],
  });
  const midnight = { hour: 0, minute: 0, timeZone: "Europe/London" };
  expect(stack.schedules).toContainEqual({ functionName: "mark-overdue", ...midnight });
  expect(stack.triggers).toContain("rotate-signing-key");
});

test("a schedule that the machine could not keep is refused", () => {
  const Properties = { ScheduleExpression: "rate(5 minutes)", Target: { Arn: "arn" } };
  const Resources = { ...template.Resources, Often: { Type: "AWS::Scheduler::Schedule", Properties } };
  expect(() => readStack({ Resources }, "/bundles", place)).toThrow("rate(5 minutes)");
});

test.each([
  [{ Ref: "Nobody" }, "The template refers to Nobody, which it does not define."],
  [{ "Fn::GetAtt": ["Asking", "Colour"] }, "The local machine does not know Colour of Asking."],
])("a reference to nothing is named: %j", (RedrivePolicy, message) => {
  const Resources = { ...template.Resources, Asking: { Type: "AWS::SQS::Queue", Properties: { RedrivePolicy } } };
  expect(() => readStack({ Resources }, "/bundles", place)).toThrow(message);
});

test("queues have the attributes that SQS takes", () => {
  const { attributes } = stack.queues.find(({ name }) => name.startsWith("PinsQueue")) ?? {};
  expect(attributes).toEqual({
    VisibilityTimeout: "180",
    MessageRetentionPeriod: "3600",
    RedrivePolicy: expect.stringMatching(
      /^\{"deadLetterTargetArn":"arn:aws:sqs:eu-west-2:000000000000:PinsDead\w+","maxReceiveCount":5\}$/,
    ),
  });
});

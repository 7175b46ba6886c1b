import { expect, test } from "vitest";
import { functions } from "../../../../infra/functions/functions.ts";
import { namesOf } from "../../../../infra/stages/names.ts";
import { readWebhooks } from "../../../../infra/stages/stage-settings.ts";
import { arnOf, type Statement, stackOf } from "../../stack.ts";
import { fullStage } from "../../stages/owned-stage.ts";

const stack = stackOf("full");
const { webhooks } = fullStage;
const of = (type: string) => stack.all(type).filter(({ id }) => id.startsWith("Webhooks"));
const named = (name: string) => {
  const [queue] = of("AWS::SQS::Queue").filter(({ properties }) => properties.QueueName === name);
  if (!queue) throw new Error(`There is no queue ${name}`);
  return queue;
};
const queueOf = (webhook: string) => named(namesOf("full").webhookQueue(webhook));
const deadLettersOf = (webhook: string) => named(`${namesOf("full").webhookQueue(webhook)}_dead-letters`);
const byText = (one: unknown, other: unknown) => JSON.stringify(one).localeCompare(JSON.stringify(other));
const ruleOf = (webhook: string) =>
  of("AWS::Events::Rule").find(({ properties }) => properties.Targets[0].Arn["Fn::GetAtt"][0] === queueOf(webhook).id);

test("D42: each webhook has a rule on the outbound bus for its kinds and company, which leads to a queue of its own", () => {
  const bus = stack.all("AWS::Events::EventBus").find(({ id }) => id.startsWith("OutboundBus"));
  expect(of("AWS::Events::Rule")).toHaveLength(webhooks.length);
  for (const webhook of webhooks) {
    const rule = ruleOf(webhook.name);
    expect(rule?.properties.EventBusName).toEqual({ Ref: bus?.id });
    expect(rule?.properties.EventPattern).toEqual({
      source: [namesOf("full").eventSource],
      "detail-type": webhook.kinds,
      ...("company" in webhook && { detail: { companyid: [String(webhook.company)] } }),
    });
    // What EventBridge cannot hand over for a day is kept beside what was given up.
    const target = { Arn: arnOf(queueOf(webhook.name)), DeadLetterConfig: { Arn: arnOf(deadLettersOf(webhook.name)) } };
    expect(rule?.properties.Targets).toMatchObject([target]);
    expect(queueOf(webhook.name).properties.RedrivePolicy.deadLetterTargetArn).toEqual(
      arnOf(deadLettersOf(webhook.name)),
    );
  }
  expect(webhooks.map((each) => "company" in each)).toEqual([true, false]);
});

test("D42: what is signed comes from the bus: nothing but the webhook's rule may put into its queue, not even whoever answers alarms", () => {
  for (const { name } of webhooks) {
    const rule = { Service: "events.amazonaws.com" };
    const condition = { ArnEquals: { "aws:SourceArn": { "Fn::GetAtt": [ruleOf(name)?.id, "Arn"] } } };
    for (const queue of [queueOf(name), deadLettersOf(name)]) {
      const policies = of("AWS::SQS::QueuePolicy").filter(({ properties }) => properties.Queues[0].Ref === queue.id);
      const allowed = policies.flatMap(({ properties }) =>
        properties.PolicyDocument.Statement.filter(({ Effect }: Statement) => Effect === "Allow"),
      );
      expect(allowed).toMatchObject([{ Principal: rule, Condition: condition }]);
    }
  }
  const queues = of("AWS::SQS::Queue").filter(({ properties }) => properties.RedrivePolicy);
  expect(queues).toHaveLength(webhooks.length);
  for (const [role, statements] of stack.rights()) {
    const putting = statements.filter(({ Action }) => [Action].flat().includes("sqs:SendMessage"));
    for (const { id } of queues) expect(JSON.stringify(putting), role).not.toContain(id);
  }
});

test("D42: the function delivers from the webhooks' queues alone, and gives up to their dead letters alone", () => {
  const own = stack.rightsOf("deliver-webhook");
  const resourcesOf = (action: string) =>
    own.filter(({ Action }) => [Action].flat().includes(action)).flatMap(({ Resource }) => Resource);
  const all = (find: typeof queueOf) => webhooks.map(({ name }) => arnOf(find(name))).toSorted(byText);
  for (const [action, find] of [
    ["sqs:ReceiveMessage", queueOf],
    ["sqs:ChangeMessageVisibility", queueOf],
    ["sqs:SendMessage", deadLettersOf],
  ] as const)
    expect(resourcesOf(action).toSorted(byText), action).toEqual(all(find));
  const [{ name: first }] = webhooks;
  expect(stack.functions().get("deliver-webhook")?.properties.Environment.Variables).toMatchObject({
    WEBHOOKS: readWebhooks(fullStage),
    WEBHOOK_QUEUE_URL: { Ref: queueOf(first).id },
    WEBHOOK_DEAD_LETTERS_URL: { Ref: deadLettersOf(first).id },
  });
});

test("D42: of the table it reaches which webhooks fail, and nothing else; no other function does", () => {
  const tables = stack
    .rightsOf("deliver-webhook")
    .filter(({ Action }) => [Action].flat().some((each) => each?.startsWith("dynamodb:")));
  expect(tables).toMatchObject([
    {
      Action: ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem"],
      Condition: {
        "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["WEBHOOK#*"] },
        Null: { "dynamodb:LeadingKeys": "false" },
      },
    },
  ]);
  for (const [name, { guarded = [] }] of Object.entries(functions)) expect(guarded, name).not.toContain("WEBHOOK#");
});

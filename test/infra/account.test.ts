import { expect, test } from "vitest";
import { FirewallStack } from "../../infra/firewall-stack.ts";
import { OutsideCheckStack } from "../../infra/outside-check-stack.ts";
import { stageNames } from "../../infra/stages/stages.ts";
import { stackBeside, stackOf } from "./stack.ts";
import { fullStage } from "./stages/owned-stage.ts";

/** Types of which a stack makes a resource of its own. Those that set something of the account or the region have none of these names. */
const own = [
  "ApiGatewayV2::(Api|ApiMapping|DomainName|Integration|Route|Stage)",
  "Backup::(BackupPlan|BackupSelection|BackupVault)",
  "CloudFront::(Distribution|OriginRequestPolicy)",
  "CloudWatch::(Alarm|CompositeAlarm|Dashboard)",
  "CodeDeploy::(Application|DeploymentGroup)",
  "DynamoDB::GlobalTable",
  "Events::(EventBus|EventBusPolicy|Rule)",
  "IAM::(Policy|Role)",
  "KMS::Key",
  "Lambda::(Alias|EventInvokeConfig|EventSourceMapping|Function|Permission|Version)",
  "Logs::(LogGroup|MetricFilter)",
  "Route53::HealthCheck",
  "SES::(ConfigurationSet|ConfigurationSetEventDestination|EmailIdentity)",
  "SNS::(Subscription|Topic|TopicPolicy)",
  "SQS::(Queue|QueuePolicy)",
  "SSM::Parameter",
  "Scheduler::Schedule",
  "SecretsManager::Secret",
  "WAFv2::WebACL",
];
/** The one custom resource, which calls a function of the stack: any other could call whatever its role may. */
const isOwn = new RegExp(`^(AWS::(${own.join("|")})|Custom::Trigger)$`);

test.each([
  ...stageNames,
  "full",
])("nothing in the stack of %s changes the account, but the budget that its setting names", (name) => {
  expect(othersIn(stackOf(name).template)).toEqual(name === "full" ? ["AWS::Budgets::Budget"] : []);
});

test.each([
  ["firewall", FirewallStack],
  ["check from outside", OutsideCheckStack],
])("nor does anything in the stack of the %s", (_, Kind) => {
  expect(othersIn(stackBeside((app) => new Kind(app, fullStage)).template)).toEqual([]);
});

test("no bus, log or topic of the account gets a policy: each is of a resource of the stack", () => {
  const { all } = stackOf("full");
  for (const { properties } of all("AWS::Events::EventBusPolicy"))
    expect(properties.EventBusName).toHaveProperty("Ref");
  for (const { properties } of all("AWS::SNS::TopicPolicy"))
    for (const topic of properties.Topics) expect(topic).toHaveProperty("Ref");
});

function othersIn({
  Resources,
}: {
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}): string[] {
  return Object.values(Resources).flatMap(({ Type }) => (isOwn.test(Type) ? [] : [Type]));
}

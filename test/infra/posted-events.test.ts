import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { expect, onTestFinished, test } from "vitest";
import { namesOf } from "../../infra/stages/names.ts";
import { root } from "../../infra/support/root.ts";
import { outboundEventTypes } from "../../shared/contract/outbound-events.ts";

test("D42: EVENTS.md posts events to an address in 20 lines: a rule on the outbound bus, with dead letters", async () => {
  const [, sample = ""] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, "shared/contract/EVENTS.md"), "utf8")) ?? [];
  expect(sample.split("\n").filter((line) => line !== "" && !line.startsWith("import")).length).toBeLessThanOrEqual(20);
  const file = join(newLocalFolder(), "posted-events.ts");
  writeFileSync(file, `${sample}export { stack };\n`);
  const { stack } = (await import(file)) as { stack: Stack };
  const template = Template.fromStack(stack);
  const only = (type: string) => {
    const [[id, { Properties }] = ["", { Properties: {} }], ...others] = Object.entries(template.findResources(type));
    expect(others, type).toEqual([]);
    return { id, properties: Properties };
  };
  const rule = only("AWS::Events::Rule").properties;
  const queue = only("AWS::SQS::Queue").id;
  const destination = only("AWS::Events::ApiDestination");
  expect(rule.EventBusName).toBe(namesOf("prod").outboundBus);
  expect(outboundEventTypes).toEqual(expect.arrayContaining(rule.EventPattern["detail-type"]));
  expect(rule.EventPattern.detail).toEqual({ companyid: ["1"] });
  expect(rule.Targets).toMatchObject([
    {
      Arn: { "Fn::GetAtt": [destination.id, "Arn"] },
      DeadLetterConfig: { Arn: { "Fn::GetAtt": [queue, "Arn"] } },
      InputPath: "$.detail",
    },
  ]);
  expect(destination.properties).toMatchObject({
    HttpMethod: "POST",
    InvocationEndpoint: expect.stringMatching(/^https:/),
  });
  const connection = only("AWS::Events::Connection");
  expect(destination.properties.ConnectionArn).toEqual({ "Fn::GetAtt": [connection.id, "Arn"] });
  // The template has a reference to the key, not its value.
  expect(JSON.stringify(connection.properties)).toContain(
    "{{resolve:secretsmanager:payroll-events:SecretString:key::}}",
  );
  const [policy] = Object.values(template.findResources("AWS::SQS::QueuePolicy"));
  expect(JSON.stringify(policy)).toContain("events.amazonaws.com");
});

/** A folder within the checkout, from where packages are found. */
function newLocalFolder(): string {
  const local = join(root, ".local");
  mkdirSync(local, { recursive: true });
  const folder = mkdtempSync(join(local, "events-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

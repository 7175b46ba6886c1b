import { Stack } from "aws-cdk-lib";
import type { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { queueSetting, variableOf } from "../../shared/run/settings.ts";
import type { FunctionRow } from "../functions/function-row.ts";
import { namesOf, tokenAudience } from "../stages/names.ts";
import { readStageSetting } from "../stages/stage-settings.ts";
import type { Stage } from "../stages/stage-shape.ts";
import { allowOn, findQueue, type WorkQueue } from "./compute/work-queue.ts";
import type { EmailSending } from "./messages/email-sending.ts";
import { viaSns } from "./messages/via-sns.ts";
import type { GeneratedSecret } from "./stores/generated-secret.ts";
import type { RecordsTable } from "./stores/records-table.ts";

/** The resources that functions may get rights to. */
export interface GrantedResources {
  readonly records: RecordsTable;
  readonly hmacKey: GeneratedSecret;
  readonly signingKeys: GeneratedSecret;
  readonly queues: readonly WorkQueue[];
  /** Holds stream records that a consumer gave up, for a person to look at. No function consumes it. */
  readonly quarantine: Queue;
  /** The bus of outgoing events, in a stage that sends any. */
  readonly outboundBus: EventBus | undefined;
  readonly emails: EmailSending;
  /** The secret that the stage's edge sends, if it has an edge. */
  readonly edgeSecret: GeneratedSecret | undefined;
}

/** Gives a function the rights and settings in its row, and no others. */
export function grantRow(fn: LambdaFunction, row: FunctionRow, resources: GrantedResources, stage: Stage): void {
  const { records, hmacKey, signingKeys, queues, quarantine, emails, outboundBus } = resources;
  if (row.table) records.grant(fn, row);
  if (row.verifiesTokens || row.readsPublicKeys) records.grantPublicKeys(fn);
  const readsUsers = row.table?.includes("GetItem") && row.guarded?.includes("USER#");
  if (row.verifiesTokens && !readsUsers) records.grantKeyHolders(fn);
  if (row.verifiesTokens || row.signsTokens) {
    fn.addEnvironment("TOKEN_ISSUER", namesOf(stage.name).tokenIssuer);
    fn.addEnvironment("TOKEN_AUDIENCE", tokenAudience);
  }
  // It is trusted beside the service itself (D4).
  if ((row.verifiesTokens || row.knowsIssuer) && stage.oidcIssuer)
    fn.addEnvironment("OIDC_ISSUER", JSON.stringify(stage.oidcIssuer));
  if (row.signsTokens) signingKeys.grantRead(fn);
  if (row.rotatesSigningKeys) signingKeys.grantRead(fn, "secretsmanager:PutSecretValue");
  if (row.readsHmacKey) hmacKey.grantRead(fn);
  if (row.readsClientAddress) resources.edgeSecret?.grantRead(fn);
  for (const name of row.sendsTo ?? []) grantQueue(fn, queueSetting(name), findQueue(queues, name));
  if (row.sendsTo?.includes("events") && outboundBus)
    fn.addEnvironment("EVENT_SOURCE", namesOf(stage.name).eventSource);
  if (row.putsEvents && outboundBus) {
    fn.addEnvironment("OUTBOUND_BUS_NAME", outboundBus.eventBusName);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["events:PutEvents"], resources: [outboundBus.eventBusArn] }));
  }
  if (row.pushesToDevices) grantPushing(fn, stage);
  if (row.readsStream) grantQueue(fn, "QUARANTINE_QUEUE_URL", quarantine);
  if (row.sendsMessages) {
    emails.grantSend(fn);
    grantSms(fn);
  }
  for (const setting of row.settings ?? []) fn.addEnvironment(variableOf(setting), readStageSetting(stage, setting));
}

/** Lets a function send messages to a queue, if the stage has it, and sets the queue's URL in its environment. */
function grantQueue(fn: LambdaFunction, setting: string, queue: Queue | undefined): void {
  if (!queue) return;
  fn.addEnvironment(setting, queue.queueUrl);
  fn.addToRolePolicy(allowOn([queue], "SendMessage"));
}

/** Lets a function push to the devices of the stage's platform applications, if it has any. */
function grantPushing(fn: LambdaFunction, { platformApplications = {} }: Stage): void {
  const applications = Object.values(platformApplications);
  if (applications.length === 0) return;
  // AWS documents no resource type for endpoints, and SNS's refusals of calls for one name its application.
  const endpoints = applications.map((arn) => `${arn.replace(":app/", ":endpoint/")}/*`);
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ["sns:CreatePlatformEndpoint", "sns:SetEndpointAttributes", "sns:DeleteEndpoint", "sns:Publish"],
      resources: [...applications, ...endpoints],
    }),
  );
}

function grantSms(fn: LambdaFunction): void {
  // Phone numbers have no ARN, so the statement excludes every topic and endpoint instead.
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ["sns:Publish"],
      notResources: [Stack.of(fn).formatArn({ service: "sns", region: "*", account: "*", resource: "*" })],
    }),
  );
  fn.addToRolePolicy(viaSns("SendTextMessage"));
}

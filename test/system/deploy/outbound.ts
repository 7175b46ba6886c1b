import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { expect, test } from "vitest";
import { namesOf } from "../../../infra/stages/names.ts";
import { outboundEventOf } from "../../../shared/contract/outbound-events.ts";
import { jobLine } from "../../support/records/records.ts";
import { adoptedStage } from "./adopted-stage.ts";
import type { DeployedStage } from "./deployed-stage.ts";

const { outboundBus: EventBusName, eventSource } = namesOf(adoptedStage.name);
const Name = "another-systems-rule";

/** Has vitest see that an event goes out, by a rule that another system has put on the stage's bus. */
export function testOutbound(stage: () => DeployedStage): void {
  test("D42: what happens on the stage reaches a queue of another system, by a rule of its own", async () => {
    const [buses, queues] = [new EventBridgeClient(), new SQSClient()];
    const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName: "another-systems-queue" }));
    const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] });
    const { Attributes } = await queues.send(asked);
    const pattern = { "detail-type": ["job.published"], detail: { companyid: ["1"] } };
    const rule = { Name, EventBusName, EventPattern: JSON.stringify(pattern) };
    await buses.send(new PutRuleCommand(rule));
    const Targets = [{ Id: "queue", Arn: Attributes?.QueueArn ?? "" }];
    await buses.send(new PutTargetsCommand({ Rule: Name, EventBusName, Targets }));
    const entries = [81, 82].map((id) => ({
      EventBusName: stage().eventBusName,
      Source: "rota.example",
      DetailType: "Record",
      Detail: JSON.stringify({ ...jobLine(id, id === 81 ? 2 : 1), event_id: `job-${id}`, version: 1 }),
    }));
    await buses.send(new PutEventsCommand({ Entries: entries }));
    const received = async () => {
      const { Messages = [] } = await queues.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 }));
      return Messages.map(({ Body }) => v.parse(outboundEventOf("job.published"), JSON.parse(Body ?? "{}").detail));
    };
    await expect
      .poll(received, { timeout: 60_000, interval: 200 })
      .toMatchObject([{ subject: "job/82", companyid: "1", source: eventSource, data: { id: 82, company_id: 1 } }]);
    await buses.send(new RemoveTargetsCommand({ Rule: Name, EventBusName, Ids: ["queue"] }));
    await buses.send(new DeleteRuleCommand({ Name, EventBusName }));
    await queues.send(new DeleteQueueCommand({ QueueUrl }));
    buses.destroy();
    queues.destroy();
  });
}

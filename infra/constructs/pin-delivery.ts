import { Duration, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { Stage } from "../stages.ts";

const triesBeforeDeadLetter = 3;

/** The queue that requests for pins travel by, and the worker's right to send what they ask for. */
export class PinDelivery extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.deadLetters = new Queue(this, "DeadLetters", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, "Queue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(60),
      retentionPeriod: Duration.hours(1),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: triesBeforeDeadLetter },
    });
  }

  /** Lets a function queue requests; tells it the queue's address. */
  grantQueue(fn: LambdaFunction): void {
    fn.addEnvironment("PIN_QUEUE_URL", this.queue.queueUrl);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.queue.queueArn] }));
  }

  /** Lets a function send e-mail from the stage's address, and SMS; tells it the names to send under. */
  grantSend(fn: LambdaFunction, { senderAddress, serviceName }: Stage): void {
    const stack = Stack.of(this);
    fn.addEnvironment("SENDER_ADDRESS", senderAddress);
    fn.addEnvironment("SERVICE_NAME", serviceName);
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["ses:SendEmail"],
        resources: [stack.formatArn({ service: "ses", resource: "identity", resourceName: "*" })],
        conditions: { StringEquals: { "ses:FromAddress": senderAddress } },
      }),
    );
    // Phone numbers have no ARN: every topic and endpoint is kept out instead.
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["sns:Publish"],
        notResources: [stack.formatArn({ service: "sns", resource: "*" })],
      }),
    );
  }

  /** Makes a function the worker of the queue. */
  feed(fn: LambdaFunction): void {
    new EventSourceMapping(this, "Worker", {
      target: fn,
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    this.queue.grantConsumeMessages(fn);
  }
}

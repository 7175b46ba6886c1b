import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";

/** An encrypted queue. By default it keeps messages for 14 days, the longest that SQS allows. */
export function createQueue(scope: Construct, id: string, props: QueueProps = {}): Queue {
  const usual = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: Duration.days(14) };
  return new Queue(scope, id, { ...usual, ...props });
}

import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { withReason } from "../reason.ts";

const forPeople = "The longest that SQS allows: a person reads them.";

/** An encrypted queue, and the reason for its figures. By default it keeps messages for 14 days. */
export function createQueue(scope: Construct, id: string, props: QueueProps = {}, reason = forPeople): Queue {
  const usual = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: Duration.days(14) };
  return withReason(new Queue(scope, id, { ...usual, ...props }), reason);
}

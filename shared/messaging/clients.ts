import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { SESClient } from "@aws-sdk/client-ses";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import { callLimits, limitedBy } from "../run/limits.ts";

// "Pure" lets a bundle omit the clients, and SDKs, that its function does not use.

/** The client of queues for requests, created at the first use, like all of these. */
export const requestQueueClient = /* @__PURE__ */ once(() => new SQSClient(limitedBy(callLimits.requestQueue)));

/** The client of queues for workers. */
export const workerQueueClient = /* @__PURE__ */ once(() => new SQSClient(limitedBy(callLimits.workerQueue)));

/** The client of e-mails. */
export const emailClient = /* @__PURE__ */ once(() => new SESClient(limitedBy(callLimits.message)));

/** The client of SMS and pushes. */
export const pushClient = /* @__PURE__ */ once(() => new SNSClient(limitedBy(callLimits.message)));

/** The client of the outbound bus. */
export const busClient = /* @__PURE__ */ once(() => new EventBridgeClient(limitedBy(callLimits.outboundBus)));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

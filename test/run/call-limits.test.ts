import { ProvisionedThroughputExceededException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { KmsThrottled, OverLimit, RequestThrottled } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { isThrottleCode, isThrottled } from "../../shared/run/call-limits.ts";

const options = { message: "Rate exceeded", $metadata: {} };
const named = (name: string, more: object = {}) => Object.assign(new Error("Rate exceeded"), { name, ...more });
const cancelled = (...codes: string[]) => {
  return new TransactionCanceledException({ ...options, CancellationReasons: codes.map((Code) => ({ Code })) });
};
const quoting = (message: string) => Object.assign(new Error(message), { name: "DecryptionFailure" });

test.each([
  new ProvisionedThroughputExceededException(options),
  new RequestThrottled(options),
  new KmsThrottled(options),
  new OverLimit(options),
  cancelled("None", "ThrottlingError"),
  cancelled("ProvisionedThroughputExceeded"),
  named("ThrottlingException"),
  named("RequestLimitExceeded"),
  named("Throttling"),
  named("ThrottledException"),
  named("RequestThrottledException"),
  named("KMS.ThrottlingException"),
  named("TooManyRequestsException"),
  named("SlowDown"),
  named("ServiceException", { $retryable: { throttling: true } }),
  named("UnknownError", { $metadata: { httpStatusCode: 429 } }),
  quoting("You have exceeded the rate at which you may call KMS. Reduce the frequency of your calls."),
  quoting("Rate exceeded (Service: AWSKMS; Status Code: 400; Error Code: ThrottlingException; Request ID: 1)"),
])("%s is a throttle", (error) => {
  expect(isThrottled(error)).toBe(true);
});

test.each([
  cancelled("ConditionalCheckFailed", "None"),
  cancelled("TransactionConflict"),
  cancelled("ValidationError"),
  named("TimeoutError"),
  named("AccessDeniedException"),
  named("ConditionalCheckFailedException"),
  named("ItemCollectionSizeLimitExceededException"),
  named("LimitExceededException"),
  named("InternalServerError", { $retryable: {}, $metadata: { httpStatusCode: 500 } }),
  named("ServiceUnavailable", { $metadata: { httpStatusCode: 503 } }),
  quoting("The key is disabled"),
  "ThrottlingException",
  undefined,
])("%s is none", (error) => {
  expect(isThrottled(error)).toBe(false);
});

test("the codes of parts of a batch are read as well", () => {
  expect(["ThrottlingException", "ThrottlingError", "RequestThrottled"].every(isThrottleCode)).toBe(true);
  expect(["InternalFailure", "None", undefined].some(isThrottleCode)).toBe(false);
});

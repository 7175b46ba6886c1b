import { PolicyStatement } from "aws-cdk-lib/aws-iam";

const reads = [
  "DescribeAccountAttributes",
  "DescribeOptedOutNumbers",
  "DescribePhoneNumbers",
  "DescribeSpendLimits",
  "DescribeVerifiedDestinationNumbers",
];

/**
 * The rights at AWS End User Messaging, which sends SMS for SNS and is asked in the name of SNS's caller: to read, and perhaps to
 * send. SNS alone can use them. Actions and condition are those of AWS's managed policies AmazonSNSReadOnlyAccess and
 * AmazonSNSFullAccess (v2 of 24 September 2024), which SNS's guide recommends; AWS does not say which call needs which.
 */
export function viaSns(...more: "SendTextMessage"[]): PolicyStatement {
  return new PolicyStatement({
    actions: [...reads, ...more].map((each) => `sms-voice:${each}`),
    resources: ["*"],
    conditions: { StringEquals: { "aws:CalledViaLast": "sns.amazonaws.com" } },
  });
}

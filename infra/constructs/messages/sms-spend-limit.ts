import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from "aws-cdk-lib/custom-resources";
import { Construct } from "constructs";

/** The most that the account may spend on SMS in a month. CloudFormation has no resource for it: a deploy calls SNS. */
export class SmsSpendLimit extends Construct {
  constructor(scope: Construct, id: string, dollars: number) {
    super(scope, id);
    const call = {
      service: "SNS",
      action: "SetSMSAttributes",
      parameters: { attributes: { MonthlySpendLimit: String(dollars), DefaultSMSType: "Transactional" } },
      physicalResourceId: PhysicalResourceId.of("sms-attributes"),
    };
    new AwsCustomResource(this, "Attributes", {
      onCreate: call,
      onUpdate: call,
      // Without onDelete: whoever removes a stage does not mean to change what the account may spend.
      policy: AwsCustomResourcePolicy.fromStatements([
        // The attributes are the account's, and have no ARN.
        new PolicyStatement({ actions: ["sns:SetSMSAttributes"], resources: ["*"] }),
      ]),
      installLatestAwsSdk: false,
      timeout: Duration.minutes(1),
      logGroup: new LogGroup(this, "Logs", {
        retention: RetentionDays.TWO_WEEKS,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    });
  }
}

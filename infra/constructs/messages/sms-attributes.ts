import { ArnFormat, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from "aws-cdk-lib/custom-resources";
import { Construct } from "constructs";
import { smsFailureLog } from "../../stages/names.ts";
import { InlineRole } from "../compute/inline-role.ts";

/**
 * The account's settings of SMS: the most that it may spend in a month, and a log of those that did not arrive, as SNS answers
 * 200 for those, too. CloudFormation has no resource for them: a deploy calls SNS.
 */
export class SmsAttributes extends Construct {
  constructor(scope: Construct, id: string, dollars: number) {
    super(scope, id);
    const logging = new InlineRole(this, "DeliveryLogging", { assumedBy: new ServicePrincipal("sns.amazonaws.com") });
    logging.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ["CreateLogGroup", "CreateLogStream", "PutLogEvents", "PutMetricFilter", "PutRetentionPolicy"].map(
          (each) => `logs:${each}`,
        ),
        resources: [
          Stack.of(this).formatArn({
            service: "logs",
            resource: "log-group",
            resourceName: "sns/*",
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ],
      }),
    );
    const { account, region } = Stack.of(this);
    const failures = new LogGroup(this, "Failures", {
      logGroupName: smsFailureLog({ account, region }),
      // A line has the number that it went to.
      retention: RetentionDays.TWO_WEEKS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const call = {
      service: "SNS",
      action: "SetSMSAttributes",
      parameters: {
        attributes: {
          MonthlySpendLimit: String(dollars),
          DefaultSMSType: "Transactional",
          DeliveryStatusIAMRole: logging.roleArn,
          // None of those that arrived is logged.
          DeliveryStatusSuccessSamplingRate: "0",
        },
      },
      physicalResourceId: PhysicalResourceId.of("sms-attributes"),
    };
    const attributes = new AwsCustomResource(this, "Attributes", {
      onCreate: call,
      onUpdate: call,
      // Without onDelete: whoever removes a stage does not mean to change what the account may spend.
      policy: AwsCustomResourcePolicy.fromStatements([
        // The attributes are the account's, and have no ARN.
        new PolicyStatement({ actions: ["sns:SetSMSAttributes"], resources: ["*"] }),
        new PolicyStatement({ actions: ["iam:PassRole"], resources: [logging.roleArn] }),
      ]),
      installLatestAwsSdk: false,
      timeout: Duration.minutes(1),
      logGroup: new LogGroup(this, "Logs", {
        retention: RetentionDays.TWO_WEEKS,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    });
    // SNS makes the log itself where there is none, and keeps it without end.
    attributes.node.addDependency(failures);
  }
}

import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import {
  AwsCustomResource,
  AwsCustomResourcePolicy,
  type AwsSdkCall,
  PhysicalResourceId,
} from "aws-cdk-lib/custom-resources";
import { Construct } from "constructs";
import { smsFailureLog } from "../../stages/names.ts";
import { InlineRole } from "../compute/inline-role.ts";
import { viaSns } from "./via-sns.ts";

/**
 * The account's SMS settings: the monthly spend limit, and a log of failed messages, as SNS answers 200 for those too.
 * CloudFormation has no resource for the settings, so a deploy calls SNS. Calls also create the log, which outlasts the
 * stage: SNS or another stage of the account may have created it before.
 */
export class SmsAttributes extends Construct {
  readonly #logs = new LogGroup(this, "Logs", {
    retention: RetentionDays.TWO_WEEKS,
    removalPolicy: RemovalPolicy.DESTROY,
  });

  constructor(scope: Construct, id: string, dollars: number) {
    super(scope, id);
    const logging = new InlineRole(this, "DeliveryLogging", { assumedBy: new ServicePrincipal("sns.amazonaws.com") });
    logging.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ["CreateLogGroup", "CreateLogStream", "PutLogEvents", "PutMetricFilter", "PutRetentionPolicy"].map(
          (each) => `logs:${each}`,
        ),
        resources: [this.#logArn("sns/*")],
      }),
    );
    const attributes = this.#call(
      "Attributes",
      {
        service: "SNS",
        action: "SetSMSAttributes",
        parameters: {
          attributes: {
            MonthlySpendLimit: String(dollars),
            DefaultSMSType: "Transactional",
            DeliveryStatusIAMRole: logging.roleArn,
            // Log none of the messages that arrived.
            DeliveryStatusSuccessSamplingRate: "0",
          },
        },
        physicalResourceId: PhysicalResourceId.of("sms-attributes"),
      },
      [
        // The attributes belong to the account and have no ARN.
        new PolicyStatement({ actions: ["sns:SetSMSAttributes"], resources: ["*"] }),
        viaSns("SetTextMessageSpendLimitOverride"),
        new PolicyStatement({ actions: ["iam:PassRole"], resources: [logging.roleArn] }),
      ],
    );
    // SNS would create a missing log without an expiry.
    attributes.node.addDependency(this.#keepFailures());
  }

  /** Creates the log of failed messages if it is missing, and sets its expiry. */
  #keepFailures(): AwsCustomResource {
    const { account, region } = Stack.of(this);
    const logGroupName = smsFailureLog({ account, region });
    const arn = this.#logArn(logGroupName);
    const call = (id: string, action: string, more: Partial<AwsSdkCall> = {}) => {
      const parameters = { logGroupName, ...(more.parameters as object) };
      const physicalResourceId = PhysicalResourceId.of(action);
      const right = new PolicyStatement({ actions: [`logs:${action}`], resources: [arn, `${arn}:*`] });
      return this.#call(id, { service: "CloudWatchLogs", action, physicalResourceId, ...more, parameters }, [right]);
    };
    const log = call("FailureLog", "CreateLogGroup", { ignoreErrorCodesMatching: "ResourceAlreadyExistsException" });
    // Each line contains a phone number.
    const retention = call("Retention", "PutRetentionPolicy", {
      parameters: { retentionInDays: RetentionDays.TWO_WEEKS },
    });
    retention.node.addDependency(log);
    return retention;
  }

  /**
   * Calls AWS at each deploy that changes the call. The settings are the account's, so deleting the stage reverts
   * nothing.
   */
  #call(id: string, call: AwsSdkCall, rights: PolicyStatement[]): AwsCustomResource {
    return new AwsCustomResource(this, id, {
      onCreate: call,
      onUpdate: call,
      policy: AwsCustomResourcePolicy.fromStatements(rights),
      installLatestAwsSdk: false,
      timeout: Duration.minutes(1),
      logGroup: this.#logs,
    });
  }

  #logArn(name: string): string {
    return Stack.of(this).formatArn({ service: "logs", resource: `log-group:${name}` });
  }
}

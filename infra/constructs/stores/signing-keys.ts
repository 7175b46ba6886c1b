import { CfnResource, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Trigger } from "aws-cdk-lib/triggers";
import { Construct } from "constructs";
import type { ServiceFunction } from "../compute/service-function.ts";
import { type SecretProps, storedAs } from "./removal.ts";
import { grantSecret } from "./secret-grant.ts";

const setting = "SIGNING_SECRET_ARN";
const triggerProvider = "AWSCDK.TriggerCustomResourceProviderCustomResourceProvider";

/** Issuer and audience of the tokens that the service signs (D4). */
export interface TokenNames {
  readonly issuer: string;
  readonly audience: string;
}

/** The private keys that sign access tokens. A function of the stack creates them and no person sees them (D6). */
export class SigningKeys extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, props: SecretProps) {
    super(scope, id);
    this.secret = new Secret(this, "Secret", {
      ...storedAs(props),
      description: "Private keys that sign access tokens",
      // If anything changes here, CloudFormation overwrites the keys. A secret cannot be created empty, so it has an
      // unused text beside the empty list of keys.
      generateSecretString: { secretStringTemplate: JSON.stringify({ keys: [] }), generateStringKey: "unused" },
    });
  }

  /** Lets a function sign access tokens: sets the secret, the issuer and the audience in its environment. */
  grantSign(fn: LambdaFunction, { issuer, audience }: TokenNames): void {
    fn.addEnvironment("TOKEN_ISSUER", issuer);
    fn.addEnvironment("TOKEN_AUDIENCE", audience);
    grantSecret(fn, setting, this.secret);
  }

  /** Lets a function replace the keys, and sets the secret's ARN in its environment. */
  grantRotate(fn: LambdaFunction): void {
    grantSecret(fn, setting, this.secret, ["secretsmanager:PutSecretValue"]);
  }

  /**
   * Calls the function that replaces keys once during the deploy, to create the first one. The deploy fails if the key cannot
   * be created. `stores` are the other resources the function needs.
   */
  createFirst(service: ServiceFunction, stores: readonly Construct[]): Construct {
    const { function: fn } = service;
    // The trigger calls the version that is being deployed, even if another is live.
    const firstKey = new Trigger(service, "FirstKey", { handler: fn });
    firstKey.node.addDependency(this.secret, fn, ...(fn.role ? [fn.role] : []), ...stores);
    setTriggerLogRetention(Stack.of(service));
    return firstKey;
  }
}

/** Gives the CDK's own function behind a stack's triggers a log group that expires. Its default one never does. */
function setTriggerLogRetention(stack: Stack): void {
  const handler = stack.node.findChild(triggerProvider).node.findChild("Handler");
  if (!CfnResource.isCfnResource(handler)) throw new Error("The CDK makes the function behind its triggers otherwise");
  const logs = new LogGroup(stack, "TriggerLogs", {
    retention: RetentionDays.TWO_WEEKS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  handler.addPropertyOverride("LoggingConfig", { LogGroup: logs.logGroupName });
}

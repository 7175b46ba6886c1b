import { CfnResource, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Trigger } from "aws-cdk-lib/triggers";
import type { Construct } from "constructs";
import type { ServiceFunction } from "../compute/service-function.ts";
import { GeneratedSecret, type SecretProps } from "./generated-secret.ts";

const triggerProvider = "AWSCDK.TriggerCustomResourceProviderCustomResourceProvider";

/** Issuer and audience of the tokens that the service signs (D4). */
export interface TokenNames {
  readonly issuer: string;
  readonly audience: string;
}

/** The private keys that sign access tokens. A function of the stack creates them and no person sees them (D6). */
export class SigningKeys extends GeneratedSecret {
  constructor(scope: Construct, id: string, props: SecretProps) {
    const content = {
      setting: "SIGNING_SECRET_ARN",
      description: "Private keys that sign access tokens",
      template: { keys: [] },
      // A secret cannot be created empty.
      field: "unused",
    };
    super(scope, id, content, props);
  }

  /** Lets a function sign access tokens: sets the secret, the issuer and the audience in its environment. */
  grantSign(fn: LambdaFunction, { issuer, audience }: TokenNames): void {
    fn.addEnvironment("TOKEN_ISSUER", issuer);
    fn.addEnvironment("TOKEN_AUDIENCE", audience);
    this.grantRead(fn);
  }

  /** Lets a function replace the keys, and sets the secret's ARN in its environment. */
  grantRotate(fn: LambdaFunction): void {
    this.grantRead(fn, "secretsmanager:PutSecretValue");
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

import { Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";

/** Sends what alarms say to an address by e-mail, which its reader has to agree to once. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, address: string) {
    super(scope, id);
    // CloudWatch may not use the key that SNS brings along.
    const key = new Key(this, "Key", { description: "Encrypts what alarms say", enableKeyRotation: true });
    this.topic = new Topic(this, "Topic", { displayName: "Workforce alarms", masterKey: key, enforceSSL: true });
    this.topic.addSubscription(new EmailSubscription(address));
    const [alarms, { account }] = [new ServicePrincipal("cloudwatch.amazonaws.com"), Stack.of(this)];
    const ofThisAccount = { StringEquals: { "aws:SourceAccount": account } };
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [alarms],
        actions: ["kms:Decrypt", "kms:GenerateDataKey"],
        // In a key's own policy this is the key.
        resources: ["*"],
        conditions: ofThisAccount,
      }),
    );
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [alarms],
        actions: ["sns:Publish"],
        resources: [this.topic.topicArn],
        conditions: ofThisAccount,
      }),
    );
  }
}

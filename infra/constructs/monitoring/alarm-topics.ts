import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription, UrlSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";

/** Who is notified: by e-mail, and what cannot wait by a pager as well. */
interface AlarmTopicsProps {
  readonly address: string;
  readonly pagerUrl?: string;
}

/** Sends what alarms say to people, who have to agree to it once: what cannot wait for the morning, and all else. */
export class AlarmTopics extends Construct {
  readonly page: Topic;
  readonly tomorrow: Topic;
  readonly #key: Key;

  constructor(scope: Construct, id: string, { address, pagerUrl }: AlarmTopicsProps) {
    super(scope, id);
    // CloudWatch may not use the key that SNS brings along.
    this.#key = new Key(this, "Key", {
      description: "Encrypts what alarms say",
      enableKeyRotation: true,
      // It encrypts nothing that lasts, and what a failed deploy leaves costs a dollar a month. AWS deletes it after 30 days.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#key.addToResourcePolicy(
      // In a key's own policy the resource is the key.
      this.#ofAlarms(["kms:Decrypt", "kms:GenerateDataKey"], "*"),
    );
    this.tomorrow = this.#addTopic("Topic", "Workforce alarms");
    this.page = this.#addTopic("Page", "Workforce page");
    for (const topic of [this.tomorrow, this.page]) topic.addSubscription(new EmailSubscription(address));
    if (pagerUrl !== undefined) this.page.addSubscription(new UrlSubscription(pagerUrl));
  }

  #addTopic(id: string, displayName: string): Topic {
    const topic = new Topic(this, id, { displayName, masterKey: this.#key, enforceSSL: true });
    topic.addToResourcePolicy(this.#ofAlarms(["sns:Publish"], topic.topicArn));
    return topic;
  }

  #ofAlarms(actions: string[], resource: string): PolicyStatement {
    return new PolicyStatement({
      principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
      actions,
      resources: [resource],
      conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
    });
  }
}

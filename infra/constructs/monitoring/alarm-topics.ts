import { RemovalPolicy, Stack } from "aws-cdk-lib";
import type { AlarmBase, IAlarmAction } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription, UrlSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";

interface AlarmTopicsProps {
  readonly address: string;
  readonly pagerUrl: string | undefined;
}

/**
 * Sends alarms to people, who must confirm once. One topic is for alarms that cannot wait for the morning, one for all
 * others.
 */
export class AlarmTopics extends Construct {
  readonly #key: Key;
  readonly #to: AlarmTopicsProps;

  constructor(scope: Construct, id: string, to: AlarmTopicsProps) {
    super(scope, id);
    this.#to = to;
    // CloudWatch may not use SNS's default key.
    this.#key = new Key(this, "Key", {
      description: "Encrypts what alarms say",
      enableKeyRotation: true,
      // It encrypts nothing that lasts, and a key left behind by a failed deploy costs a dollar a month. AWS deletes it
      // after 30 days.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#key.addToResourcePolicy(
      // In a key's own policy `*` means the key.
      this.#ofAlarms(["kms:Decrypt", "kms:GenerateDataKey"], "*"),
    );
  }

  addTomorrow(): SnsAction {
    return new SnsAction(this.#addTopic("Topic", "Workforce alarms"));
  }

  addPage(): SnsAction {
    const page = this.#addTopic("Page", "Workforce page");
    if (this.#to.pagerUrl !== undefined) page.addSubscription(new UrlSubscription(this.#to.pagerUrl));
    return new SnsAction(page);
  }

  #addTopic(id: string, displayName: string): Topic {
    const topic = new Topic(this, id, { displayName, masterKey: this.#key, enforceSSL: true });
    topic.addToResourcePolicy(this.#ofAlarms(["sns:Publish"], topic.topicArn));
    topic.addSubscription(new EmailSubscription(this.#to.address));
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

/** Sends an alarm when it fires, and when it is over, for the person who was woken. */
export function notify(alarm: AlarmBase, action: IAlarmAction): void {
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
}

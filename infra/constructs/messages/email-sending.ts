import { CfnOutput, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import * as ses from "aws-cdk-lib/aws-ses";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import { hostOf } from "../../stages/stage-rules.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { isWatched } from "../../stages/stage-shape.ts";
import { removalPolicyOf } from "../stores/removal.ts";

/**
 * The stage's identity in SES and its configuration set. SES sends nothing more to an address that bounced or
 * complained.
 */
export class EmailSending extends Construct {
  readonly configurationSet: ses.ConfigurationSet;
  readonly #stage: Stage;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.#stage = stage;
    this.configurationSet = new ses.ConfigurationSet(this, "ConfigurationSet", {
      configurationSetName: namesOf(stage.name).configurationSet,
      tlsPolicy: ses.ConfigurationSetTlsPolicy.REQUIRE,
      reputationMetrics: isWatched(stage),
      suppressionReasons: ses.SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    if (isWatched(stage)) this.#countRejected();
    this.#addIdentity();
  }

  /**
   * Lets a function send e-mail from the stage's address. Sets the address and the configuration set in its
   * environment.
   */
  grantSend(fn: LambdaFunction): void {
    const { senderAddress, senderIdentity, removal } = this.#stage;
    const { configurationSetName } = this.configurationSet;
    fn.addEnvironment("SENDER_ADDRESS", senderAddress);
    fn.addEnvironment("CONFIGURATION_SET", configurationSetName);
    const identities = {
      domain: [hostOf(senderAddress)],
      address: [senderAddress],
      // Only SES knows which of the two the account has.
      existing: [hostOf(senderAddress), senderAddress],
    }[senderIdentity];
    // SES's sandbox also checks the recipients' identities. A stage that people depend on is not in the sandbox.
    const named = removal === "keep" ? identities : ["*"];
    const arn = (resource: string) => Stack.of(this).formatArn({ service: "ses", resource });
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["ses:SendEmail"],
        resources: [
          ...named.map((identity) => arn(`identity/${identity}`)),
          arn(`configuration-set/${configurationSetName}`),
        ],
        conditions: { StringEquals: { "ses:FromAddress": senderAddress } },
      }),
    );
  }

  #countRejected(): void {
    this.configurationSet.addEventDestination("Metrics", {
      events: [ses.EmailSendingEvent.REJECT],
      destination: ses.EventDestination.cloudWatchDimensions([
        { source: ses.CloudWatchDimensionSource.MESSAGE_TAG, name: "ses:configuration-set", defaultValue: "none" },
      ]),
    });
  }

  #addIdentity(): void {
    const { senderAddress, senderIdentity, removal } = this.#stage;
    if (senderIdentity === "existing") return;
    const { configurationSet } = this;
    const domain = senderIdentity === "domain" ? hostOf(senderAddress) : undefined;
    const identity = domain ? ses.Identity.domain(domain) : ses.Identity.email(senderAddress);
    // If the MX record is missing or wrong, SES uses a domain of its own.
    const mailFromDomain = domain && `mail.${domain}`;
    const made = new ses.EmailIdentity(this, "Identity", { identity, configurationSet, mailFromDomain });
    made.applyRemovalPolicy(removalPolicyOf(removal));
    if (!domain) return;
    const { region } = Stack.of(this);
    this.#addRecord("MailFromMx", `${mailFromDomain} MX 10 feedback-smtp.${region}.amazonses.com`);
    this.#addRecord("MailFromSpf", `${mailFromDomain} TXT "v=spf1 include:amazonses.com ~all"`);
    this.#addRecord("Dmarc", `_dmarc.${domain} TXT "v=DMARC1; p=none"`);
    for (const [index, { name, value }] of made.dkimRecords.entries()) {
      const description = "A CNAME record that DNS needs before SES sends: its name, then its value";
      new CfnOutput(Stack.of(this), `DkimRecord${index + 1}`, { description, value: `${name} ${value}` });
    }
  }

  /** Mail providers filter messages without these records, even signed ones. */
  #addRecord(id: string, value: string): void {
    new CfnOutput(Stack.of(this), id, { description: "A record that DNS should have, for mailboxes' filters", value });
  }
}

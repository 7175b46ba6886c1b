import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { GetSMSAttributesCommand, GetSMSSandboxAccountStatusCommand, SNSClient } from "@aws-sdk/client-sns";
import { hostOf, isReserved } from "../../stages/stage-rules.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { orUndefined } from "../aws/aws-faults.ts";
import { type Check, type DeployTarget, type Finding, missing, ok } from "./finding.ts";
import { findStack } from "./stack-checks.ts";

const spendLimit = "MonthlySpendLimit";
const smsStep = '"SMS" in infra/README.md';
/** The limit of an account that has set none. */
const usualSmsDollars = 1;

/** Checks that the e-mails and SMS of a stage go out and arrive. */
export const messageChecks: readonly Check[] = [
  {
    about: "e-mail sender",
    days: 3,
    asks: "Whoever keeps the domain's DNS publishes the records that the deploy prints; up to three days.",
    asksFor: asksForSender,
    bySettings: findPlaceholder,
    find: findSender,
  },
  {
    about: "e-mail account",
    days: 1,
    asks: "Ask for production access in the SES console, with how you get addresses and handle bounces, and in Service Quotas if 50,000 e-mails a day are too few: a day, or more if AWS asks back.",
    find: findEmailAccount,
  },
  {
    about: "SMS sandbox",
    days: 1,
    asks: "Ask to leave the SMS sandbox in the SNS console, with a text and the countries: a day, or more if AWS asks back.",
    find: findSmsSandbox,
  },
  {
    about: "SMS sender",
    days: 21,
    asks: "Register a sender in AWS End User Messaging for each served country that asks for one, with papers of the company: weeks.",
    bySettings: findNoSmsSender,
    find: findSmsSender,
  },
  {
    about: "SMS spend",
    days: 1,
    asks: "Ask for a higher SMS spend in Service Quotas: a new account may spend 1 dollar a month; a day or more.",
    find: findSmsSpend,
  },
];

function findPlaceholder({ senderAddress }: Stage): Finding | undefined {
  if (!isReserved(hostOf(senderAddress))) return undefined;
  const advice = "set senderAddress to an address of yours, or no pin is sent by e-mail";
  const admin = '"The first admin" in infra/README.md has one for a stage that cannot send';
  return missing(`${senderAddress} is a placeholder that nobody can verify: ${advice}; ${admin}.`);
}

function asksForSender({ senderAddress, senderIdentity }: Stage): ReturnType<NonNullable<Check["asksFor"]>> {
  if (senderIdentity === "domain") return {};
  const asks =
    senderIdentity === "address"
      ? `Whoever reads ${senderAddress} opens the link that SES mails there during the deploy: minutes.`
      : `Whoever manages SES in the account has ${senderAddress} or its domain verified there: minutes.`;
  return { asks, days: undefined };
}

async function findSender(place: DeployTarget): Promise<Finding> {
  const { senderAddress, senderIdentity } = place.stage;
  const domain = hostOf(senderAddress);
  const identity = senderIdentity === "domain" ? domain : senderAddress;
  const client = new SESv2Client({});
  const find = (EmailIdentity: string) => orUndefined(client.send(new GetEmailIdentityCommand({ EmailIdentity })));
  // An address may also send if its domain is verified.
  const found = (await find(identity)) ?? (senderIdentity === "existing" ? await find(domain) : undefined);
  if (found && senderIdentity !== "existing" && (await findStack(place)) === undefined) {
    return missing(`SES has ${identity} already: set senderIdentity to "existing", or delete it in SES.`);
  }
  if (found?.VerifiedForSendingStatus) return ok(`${identity} is verified`);
  const proof =
    senderIdentity === "domain" ? `publish the DKIM records of ${domain}` : "open the link that SES mails to it";
  if (found) return missing(`${identity} is not verified: ${proof}.`);
  if (senderIdentity === "existing") return missing(`SES does not know ${identity}: verify it, or its domain.`);
  return missing(`${identity} is not verified: the deploy requests it from SES; then ${proof}.`);
}

async function findEmailAccount({ stage, file }: DeployTarget): Promise<Finding> {
  const account = await new SESv2Client({}).send(new GetAccountCommand({}));
  if (account.SendingEnabled === false)
    return missing("AWS has paused the account's e-mail: answer its case in the SES console.");
  if (!account.ProductionAccessEnabled) {
    return missing(
      "The account may send e-mail to verified addresses only: request production access in the SES console, which takes a day or more.",
    );
  }
  const { Max24HourSend: most = 0 } = account.SendQuota ?? {};
  const { perDay } = stage.mailCeilings;
  // AWS says -1 if there is no limit. Pins beyond the quota would be refused by SES, and not be held back by the stage's own rules.
  if (most < 0 || perDay < most)
    return ok(`${most < 0 ? "any number of" : most} e-mails a day to any address, ${perDay} of them with pins`);
  const advice = `request more in Service Quotas, which takes a day or more, or lower mailCeilings in ${file}`;
  return missing(
    `The account may send ${most} e-mails a day, and the stage up to ${perDay} with pins alone: ${advice}.`,
  );
}

async function findSmsSandbox(): Promise<Finding> {
  const { IsInSandbox } = await new SNSClient({}).send(new GetSMSSandboxAccountStatusCommand({}));
  if (!IsInSandbox) return ok("the account may send SMS to any number");
  return missing(
    "The account may send SMS to verified numbers only: request to leave the SMS sandbox in the SNS console, which takes a day or more.",
  );
}

function findNoSmsSender({ smsSenderId, servedCountries }: Stage): Finding | undefined {
  if (smsSenderId !== undefined) return undefined;
  const countries = servedCountries.join(", ");
  const advice = "register a sender with AWS, which takes papers of the company and weeks, and set smsSenderId";
  return missing(`SMS have no sender, and networks in ${countries} may drop them without a fault: ${advice}.`);
}

async function findSmsSender({ stage: { smsSenderId, servedCountries } }: DeployTarget): Promise<Finding> {
  return ok(`${smsSenderId}; whether it is registered for ${servedCountries.join(", ")}, the SMS console shows`);
}

async function findSmsSpend({ stage }: DeployTarget): Promise<Finding> {
  const { attributes } = await new SNSClient({}).send(new GetSMSAttributesCommand({ attributes: [spendLimit] }));
  const dollars = Number(attributes?.[spendLimit] ?? usualSmsDollars);
  if (dollars > usualSmsDollars || stage.removal !== "keep")
    return ok(`the account's limit is ${dollars} dollars a month`);
  return missing(`The account's limit of SMS is ${dollars} dollars a month: set another, as ${smsStep} says.`);
}

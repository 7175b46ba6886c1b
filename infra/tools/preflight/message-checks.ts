import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { GetSMSAttributesCommand, GetSMSSandboxAccountStatusCommand, SNSClient } from "@aws-sdk/client-sns";
import { isReserved } from "../../stages/stage-rules.ts";
import { type Check, type DeployTarget, type Finding, later, missing, ok, orUndefined } from "./finding.ts";
import { findStack } from "./stack-checks.ts";

/** Checks that the e-mails and SMS of a stage go out and arrive. */
export const messageChecks: readonly Check[] = [
  { about: "e-mail sender", find: findSender },
  { about: "e-mail sandbox", find: findEmailSandbox },
  { about: "SMS sandbox", find: findSmsSandbox },
  { about: "SMS sender", find: findSmsSender },
  { about: "SMS spend", find: findSmsSpend },
  { about: "SMS log", find: findSmsLog },
];

async function findSender(place: DeployTarget): Promise<Finding> {
  const { senderAddress, senderIdentity } = place.stage;
  const domain = senderAddress.slice(senderAddress.lastIndexOf("@") + 1);
  const identity = senderIdentity === "domain" ? domain : senderAddress;
  if (isReserved(domain)) {
    const advice = "set senderAddress to an address of yours, or no pin is sent by e-mail";
    return missing(`${senderAddress} is a placeholder that nobody can verify: ${advice}.`);
  }
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

async function findEmailSandbox(): Promise<Finding> {
  const { ProductionAccessEnabled, SendingEnabled } = await new SESv2Client({}).send(new GetAccountCommand({}));
  if (SendingEnabled === false)
    return missing("AWS has paused the account's e-mail: answer its case in the SES console.");
  if (ProductionAccessEnabled) return ok("the account may send e-mail to any address");
  return missing(
    "The account may send e-mail to verified addresses only: request production access in the SES console.",
  );
}

async function findSmsSandbox(): Promise<Finding> {
  const { IsInSandbox } = await new SNSClient({}).send(new GetSMSSandboxAccountStatusCommand({}));
  if (!IsInSandbox) return ok("the account may send SMS to any number");
  return missing(
    "The account may send SMS to verified numbers only: request to leave the SMS sandbox in the SNS console.",
  );
}

async function findSmsSender({ stage }: DeployTarget): Promise<Finding> {
  const countries = stage.servedCountries.join(", ");
  if (stage.smsSenderId !== undefined) {
    return ok(`${stage.smsSenderId}; whether it is registered for ${countries}, the SMS console shows`);
  }
  const advice = "register a sender with AWS, which takes weeks, and set smsSenderId";
  return missing(`SMS have no sender, and networks in ${countries} may drop them without a fault: ${advice}.`);
}

async function findSmsSpend({ stage }: DeployTarget): Promise<Finding> {
  const command = new GetSMSAttributesCommand({ attributes: ["MonthlySpendLimit"] });
  // An account without the attribute is limited to 1 dollar.
  const dollars = Number((await new SNSClient({}).send(command)).attributes?.MonthlySpendLimit ?? 1);
  const wanted = stage.smsMonthlySpendLimitDollars;
  if (wanted === undefined) return ok(`the account's limit is ${dollars} dollars a month; the stage sets no limit`);
  if (dollars >= wanted) return ok(`${dollars} dollars a month`);
  const set = `run aws sns set-sms-attributes --attributes MonthlySpendLimit=${wanted}`;
  const advice = `${set}; where AWS refuses, have it raise the SMS spend quota to ${wanted} in Service Quotas first`;
  return missing(`The account's limit is ${dollars} dollars a month, the stage sets ${wanted}: ${advice}.`);
}

/** SNS answers 200 even if a network drops the message. Only the account's log has the reason. */
async function findSmsLog({ stage }: DeployTarget): Promise<Finding> {
  if (stage.removal !== "keep") return ok("for stages that keep their data");
  const command = new GetSMSAttributesCommand({ attributes: ["DeliveryStatusIAMRole"] });
  const role = (await new SNSClient({}).send(command)).attributes?.DeliveryStatusIAMRole;
  if (role) return ok(`SMS that do not arrive are logged by ${role}`);
  const reason = "nothing says why SMS do not arrive";
  if (stage.smsMonthlySpendLimitDollars !== undefined)
    return later(`Until the deploy, ${reason}: it has SNS log them.`);
  const advice = "set smsMonthlySpendLimitDollars in one stage of the account, whose deploy has SNS log them";
  return missing(`In this account ${reason}: ${advice}.`);
}

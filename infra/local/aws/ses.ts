import { randomUUID } from "node:crypto";
import { AwsError, type QueryAction } from "./aws-error.ts";
import type { Inbox } from "./inbox.ts";

/** The actions of SES (version 1) that the service uses: e-mail goes to the inbox. */
export function sesActions(inbox: Inbox): Record<string, QueryAction> {
  return { SendEmail: (parameters) => sendEmail(parameters, inbox) };
}

/** SES accepts only 7-bit local parts, and domains in punycode. */
function refuseUnlessAscii(address: string): void {
  const [local = "", domain = ""] = address.split("@");
  for (const [name, part] of [["Local address", local] as const, ["Domain", domain] as const]) {
    const isFine = /^[!-~]+$/.test(part) && !/^\.|\.$|\.\./.test(part);
    if (!isFine) throw new AwsError("InvalidParameterValue", `${name} contains illegal character`);
  }
}

function sendEmail(parameters: URLSearchParams, inbox: Inbox): Record<string, string> {
  const recipients = [...parameters].filter(([name]) => /^Destination\.\w+\.member\.\d+$/.test(name));
  if (recipients.length === 0) throw new AwsError("InvalidParameterValue", "Missing required header 'To'.");
  for (const [, address] of recipients) refuseUnlessAscii(address);
  if (!parameters.get("Source")) throw new AwsError("InvalidParameterValue", "Missing required header 'From'.");
  inbox.add({
    channel: "email",
    to: recipients.map(([, address]) => address).join(", "),
    subject: parameters.get("Message.Subject.Data"),
    text: parameters.get("Message.Body.Text.Data"),
    html: parameters.get("Message.Body.Html.Data"),
  });
  return { MessageId: randomUUID() };
}

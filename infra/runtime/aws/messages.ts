import { randomUUID } from "node:crypto";
import { openJsonFile } from "../../support/json-file.ts";
import { parseJson } from "../json-text.ts";
import { AwsError, type QueryAction } from "./aws-error.ts";
import type { LocalInbox } from "./inbox.ts";

/** The actions of SES (version 1) that the service uses: e-mail goes to the inbox. */
export function sesActions(inbox: LocalInbox): Record<string, QueryAction> {
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

function sendEmail(parameters: URLSearchParams, inbox: LocalInbox): Record<string, string> {
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

interface PushEndpoint {
  token: string;
  userData: string;
  enabled: boolean;
}

/**
 * The actions of SNS that the service uses: SMS and push messages go to the inbox. `SetEndpointAttributes` with
 * `Enabled` `false` makes an endpoint refuse messages, as the push services do when an app is removed.
 */
export function snsActions(inbox: LocalInbox, endpointsFile?: string): Record<string, QueryAction> {
  const file = openJsonFile<Record<string, PushEndpoint>>(endpointsFile, {});
  const endpoints = file.value;

  const find = (parameters: URLSearchParams, name: string): PushEndpoint => {
    const endpoint = endpoints[parameters.get(name) ?? ""];
    if (!endpoint) throw new AwsError("NotFound", "Endpoint does not exist", 404);
    return endpoint;
  };

  return {
    Publish: (parameters) => publish(parameters, inbox, find),

    CreatePlatformEndpoint(parameters) {
      const application = parameters.get("PlatformApplicationArn") ?? "";
      const token = parameters.get("Token");
      const userData = parameters.get("CustomUserData") ?? "";
      if (!token) throw new AwsError("InvalidParameter", "Invalid parameter: Token");
      if (application.includes(":app/APNS") && !/^[0-9a-f]{1,400}$/i.test(token)) {
        const reason = "iOS device token must be no more than 400 hexadecimal characters";
        throw new AwsError("InvalidParameter", `Invalid parameter: Token Reason: ${reason}`);
      }
      const prefix = `${application.replace(":app/", ":endpoint/")}/`;
      const existing = Object.entries(endpoints).find(([arn, each]) => arn.startsWith(prefix) && each.token === token);
      if (existing && existing[1].userData !== userData) {
        const reason = `Endpoint ${existing[0]} already exists with the same Token, but different attributes.`;
        throw new AwsError("InvalidParameter", `Invalid parameter: Token Reason: ${reason}`);
      }
      const arn = existing?.[0] ?? `${prefix}${randomUUID()}`;
      endpoints[arn] ??= { token, userData, enabled: true };
      file.save();
      return { EndpointArn: arn };
    },

    SetEndpointAttributes(parameters) {
      const endpoint = find(parameters, "EndpointArn");
      for (const [name, value] of attributes(parameters)) {
        if (name === "Enabled") endpoint.enabled = value === "true";
        if (name === "Token") endpoint.token = value;
      }
      file.save();
      return {};
    },

    DeleteEndpoint(parameters) {
      delete endpoints[parameters.get("EndpointArn") ?? ""];
      file.save();
      return {};
    },
  };
}

function publish(
  parameters: URLSearchParams,
  inbox: LocalInbox,
  find: (parameters: URLSearchParams, name: string) => PushEndpoint,
): Record<string, string> {
  const text = parameters.get("Message") ?? "";
  const phone = parameters.get("PhoneNumber");
  if (phone !== null) {
    if (!/^\+[1-9]\d{1,14}$/.test(phone)) throw new AwsError("InvalidParameter", "Invalid parameter: PhoneNumber");
    inbox.add({ channel: "sms", to: phone, subject: null, text, html: null });
  } else {
    const endpoint = find(parameters, "TargetArn");
    if (!endpoint.enabled) throw new AwsError("EndpointDisabled", "Endpoint is disabled");
    const payload = parameters.get("MessageStructure") === "json" ? platformPayload(text, parameters) : text;
    inbox.add({ channel: "push", to: endpoint.token, subject: parameters.get("Subject"), text: payload, html: null });
  }
  return { MessageId: randomUUID() };
}

function platformPayload(message: string, parameters: URLSearchParams): string {
  const platform = /:endpoint\/(\w+)\//.exec(parameters.get("TargetArn") ?? "")?.[1] ?? "";
  const parts = parseJson(message) as Record<string, unknown> | undefined;
  if (!parts) {
    throw new AwsError("InvalidParameter", "Invalid parameter: Message Structure - JSON message body failed to parse");
  }
  const payload = parts[platform] ?? parts.default;
  if (typeof parts.default === "string" && typeof payload === "string") return payload;
  throw new AwsError(
    "InvalidParameter",
    "Invalid parameter: Message Structure - No default entry in JSON message body",
  );
}

/** The entries of a Query protocol map: `Attributes.entry.1.key` and `Attributes.entry.1.value`. */
function attributes(parameters: URLSearchParams): [string, string][] {
  const keys = [...parameters].filter(([name]) => /^Attributes\.entry\.\d+\.key$/.test(name));
  return keys.map(([name, key]) => [key, parameters.get(name.replace(/key$/, "value")) ?? ""]);
}

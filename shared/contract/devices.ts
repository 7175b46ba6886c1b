import * as v from "valibot";
import { everyRole, operation } from "./operation.ts";
import { idParameter } from "./query.ts";
import { id, isPlainText, optionalField, text, timestamp } from "./values.ts";

/** The push services that messages go through (D28). */
export type PushService = "fcm" | "apns" | "apns_sandbox";

/** Each platform with its push service. On Apple's systems an app may use Firebase, so there the token decides. */
const pushServices: Readonly<Record<string, PushService | "by_token">> = {
  fcm: "fcm",
  gcm: "fcm",
  google: "fcm",
  android: "fcm",
  web: "fcm",
  apns: "apns",
  ios: "by_token",
  apple: "by_token",
  apns_sandbox: "apns_sandbox",
};

/** The names of platforms, in lower case. */
export const platforms = Object.keys(pushServices);

/** A platform's name, in any case (D28). */
const platform = v.pipe(
  text(20),
  v.check((value) => platforms.includes(value.toLowerCase()), `must be one of ${platforms.join(", ")}`),
);

/** The platform of a device that registers. */
export const optionalPlatform = optionalField(platform);

/** A token of APNs has 32 bytes or more in hexadecimal; one of FCM is longer and has other characters. */
const apnsForm = /^[0-9a-f]{64,400}$/i;

/** The push service of a token. If the platform does not say it, the token's form does (D28). */
export function pushServiceOf(token: string, platform: string | undefined): PushService {
  const service = platform === undefined ? "by_token" : (pushServices[platform.toLowerCase()] ?? "by_token");
  if (service !== "by_token") return service;
  return apnsForm.test(token) ? "apns" : "fcm";
}

/**
 * A token as devices are compared by it and SNS gets it. Those of APNs are bytes, in hexadecimal digits of any letter case;
 * those of FCM are as written (D28).
 */
export function comparableToken(token: string, pushService: PushService): string {
  return pushService === "fcm" ? token : token.toLowerCase();
}

/** The characters of each push service's tokens; SNS accepts no others. */
const tokenForms = {
  fcm: /^[A-Za-z0-9_:.=-]+$/,
  apns: /^[0-9a-f]{1,400}$/i,
  apns_sandbox: /^[0-9a-f]{1,400}$/i,
} as const satisfies Readonly<Record<PushService, RegExp>>;

/** The comparable tokens that a text may be, as written first: only its device says which push service issued it. */
export function comparableTokens(text: string): readonly string[] {
  return tokenForms.apns.test(text) ? [...new Set([text, comparableToken(text, "apns")])] : [text];
}

/** The token of a device. The document states FCM's characters, among which are those of APNs. */
const tokenText = v.pipe(text(4096), v.metadata({ pattern: tokenForms.fcm.source }));

/** Words that apps and simulators send in place of a token. */
const noToken = /^(undefined|null|nil|blacklisted)$/i;

function hasTokenForm({ token, platform }: { token: string; platform?: string | undefined }): boolean {
  // Text that is no plain text is another fault.
  if (token === "" || !isPlainText(token)) return true;
  return !noToken.test(token) && tokenForms[pushServiceOf(token, platform)].test(token);
}

/** A device token as it is registered. */
export const deviceToken = v.object({ id, platform: text(20), token: tokenText });

/** A device of the caller's. Its token is not shown. */
export const device = v.object({
  id,
  platform: text(20),
  device_id: v.nullable(text(200)),
  registered_at: timestamp,
  current: v.boolean(),
});

/** POST users/notifications/token: adds a device token to the caller's list (D28). */
export const registerDeviceToken = operation({
  name: "register-device-token",
  summary: "Registers a device's push token for the caller",
  method: "POST",
  path: "/api/v1/users/notifications/token",
  access: everyRole,
  needsSession: true,
  keys: "closed",
  body: {
    object: "notification",
    fields: v.pipe(
      v.object({
        token: tokenText,
        platform: optionalPlatform,
        device_id: optionalField(text(200)),
      }),
      v.forward(
        v.partialCheck(
          [["token"], ["platform"]],
          hasTokenForm,
          "must be a token of the platform's push service: of FCM letters, digits and :._=-, of APNs up to 400 hexadecimal digits",
        ),
        ["token"],
      ),
    ),
  },
  answer: v.object({ notification: deviceToken }),
});

/**
 * GET users/notifications/tokens: the caller's own devices that get pushes, newest first, without their tokens (D28).
 */
export const listDeviceTokens = operation({
  name: "list-device-tokens",
  summary: "Lists the caller's devices that receive pushes, newest first",
  method: "GET",
  path: "/api/v1/users/notifications/tokens",
  access: everyRole,
  keys: "closed",
  answer: device,
  list: "tokens",
});

/** DELETE users/notifications/token/{id}: removes a device token from the caller's list (D28). */
export const removeDeviceToken = operation({
  name: "remove-device-token",
  summary: "Removes one of the caller's device tokens",
  method: "DELETE",
  path: "/api/v1/users/notifications/token/{id}",
  access: everyRole,
  needsSession: true,
  keys: "closed",
  parameters: v.object({ id: idParameter }),
  answer: v.object({}),
});

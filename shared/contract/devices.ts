import * as v from "valibot";
import { everyRole, operation } from "./operation.ts";
import { idParameter } from "./query.ts";
import { id, text } from "./values.ts";

const pushServices = {
  fcm: "fcm",
  gcm: "fcm",
  google: "fcm",
  android: "fcm",
  web: "fcm",
  apns: "apns",
  ios: "apns",
  apple: "apns",
  apns_sandbox: "apns_sandbox",
} as const;

/** The push services that messages go through (D28). */
export type PushService = (typeof pushServices)[keyof typeof pushServices];

/** The push service behind a platform name, in any case; undefined for an unknown name (D28). */
export function pushServiceOf(platform: string): PushService | undefined {
  const name = platform.toLowerCase();
  return Object.hasOwn(pushServices, name) ? pushServices[name as keyof typeof pushServices] : undefined;
}

/** POST users/notifications/token: adds a device token to the caller's list (D28). */
export const registerDeviceToken = operation({
  name: "register-device-token",
  summary: "Registers a device's push token for the caller",
  method: "POST",
  path: "/api/v1/users/notifications/token",
  access: everyRole,
  body: {
    object: "notification",
    fields: v.object({
      token: text(4096),
      platform: v.optional(
        v.pipe(
          text(20),
          v.check(
            (value) => pushServiceOf(value) !== undefined,
            `must be one of ${Object.keys(pushServices).join(", ")}`,
          ),
        ),
        "fcm",
      ),
      device_id: v.optional(text(200)),
    }),
  },
  answer: v.object({ notification: v.object({ id, platform: text(20), token: text(4096) }) }),
});

/** DELETE users/notifications/token/{id}: takes a device token out of the caller's list (D28). */
export const removeDeviceToken = operation({
  name: "remove-device-token",
  summary: "Removes one of the caller's device tokens",
  method: "DELETE",
  path: "/api/v1/users/notifications/token/{id}",
  access: everyRole,
  parameters: v.object({ id: idParameter }),
  answer: v.object({}),
});

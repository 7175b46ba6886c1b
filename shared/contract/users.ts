import * as v from "valibot";
import { everyRole, operation, roles } from "./operation.ts";
import { idParameter, paging } from "./query.ts";
import { bulkIdsUpTo, id, text, timestamp } from "./values.ts";

/** The company shown with a user: null or id and name (D36). */
const userCompany = v.nullable(v.object({ id, name: text(200) }));

/** A user as the interface shows it, without the two fields that only one answer each carries. */
export const user = v.object({
  id,
  company: userCompany,
  contact_phone_number: v.nullable(text(40)),
  email: v.nullable(text(320)),
  financial_company_id: v.nullable(id),
  first_name: v.pipe(v.string(), v.maxLength(200)),
  job_position: v.nullable(text(200)),
  last_name: v.pipe(v.string(), v.maxLength(200)),
  phone_number: v.nullable(text(40)),
  profile_id: v.nullable(id),
  role: v.picklist(roles),
});

/** What a user types to say who they are: an e-mail address or a phone number, in any form (D7). */
export const loginText = text(320);

/** A login in a query string, where a plus sign that was not escaped arrives as a space. */
const loginParameter = v.pipe(
  loginText,
  v.transform((value) => value.replace(/^ (?=[0-9])/, "+")),
);

/** The six digits of a pin (D9). */
export const pinText = v.pipe(v.string(), v.regex(/^[0-9]{6}$/, "must be 6 digits"));

/** POST users/password: sends a pin, and tells an anonymous caller nothing it did not send (D7–D12). */
export const requestPasswordReset = operation({
  name: "request-password-reset",
  summary: "Sends a pin by e-mail or SMS to start a password reset",
  method: "POST",
  path: "/api/v1/users/password",
  access: "anyone",
  body: { object: "user", fields: v.object({ login: loginText }) },
  answer: v.object({ user: v.object({ ...user.entries, pin_valid_to: timestamp }) }),
  refusals: ["login_not_found", "country_not_served", "too_many_requests"],
});

/** GET users/confirmation: spends a pin (D10, D13). */
export const confirmLogin = operation({
  name: "confirm-login",
  summary: "Confirms a login with the pin that was sent to it",
  method: "GET",
  path: "/api/v1/users/confirmation",
  access: "anyone",
  query: v.object({ login: loginParameter, pin: pinText }),
  answer: v.object({ user: v.object({ ...user.entries, reset_password_token: text(64) }) }),
  refusals: ["pin_invalid", "too_many_requests", "busy"],
});

/** A notification as the interface shows it. */
export const notification = v.object({
  id,
  created_at: timestamp,
  params: v.looseObject({ type: text(100) }),
  read_at: v.nullable(timestamp),
  record_id: id,
  record_type: text(100),
});

/** GET users/notifications: the caller's own, newest id first; listing marks nothing (D27). */
export const listNotifications = operation({
  name: "list-notifications",
  summary: "Lists the caller's notifications, newest id first",
  method: "GET",
  path: "/api/v1/users/notifications",
  access: everyRole,
  query: v.object(paging),
  answer: notification,
  list: "notifications",
});

/** Most notifications that are marked in one transaction: each is a write of it, and the counts are one more. */
export const maxMarkedTogether = 90;

/** PATCH users/notifications/bulk_update: those named, all or none; without ids all that are unread (D27). */
export const markNotifications = operation({
  name: "mark-notifications",
  summary: "Marks the caller's notifications as read or unread",
  method: "PATCH",
  path: "/api/v1/users/notifications/bulk_update",
  access: everyRole,
  repeatable: true,
  body: {
    object: "notification",
    fields: v.pipe(
      v.object({ notification_ids: v.optional(bulkIdsUpTo(maxMarkedTogether)), read: v.boolean() }),
      v.forward(
        v.partialCheck(
          [["notification_ids"], ["read"]],
          ({ notification_ids: ids, read }) => read || ids !== undefined,
          "must name the notifications to be marked as unread",
        ),
        ["notification_ids"],
      ),
    ),
  },
  answer: notification,
  list: "notifications",
  refusals: ["records_not_found"],
});

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

/** The push service behind a platform name, in any case; undefined for a name nobody knows (D28). */
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

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** GET users/notifications/unread_count (D26). */
export const getUnreadCounts = operation({
  name: "get-unread-counts",
  summary: "Counts the caller's unread notifications",
  method: "GET",
  path: "/api/v1/users/notifications/unread_count",
  access: ["admin", "operator"],
  answer: v.object({ notifications: count, timesheets: count, jobs: count, chats: count }),
});

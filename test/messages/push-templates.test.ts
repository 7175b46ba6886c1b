import { expect, test } from "vitest";
import { renderPush } from "../../functions/workers/push.ts";

const content = { notificationId: 7_654_321, record_type: "Timesheet", record_id: 5, type: "paid", locale: "en" };
const data = { notification_id: "7654321", record_type: "Timesheet", record_id: "5", type: "paid" };
const words = { title: "Timesheet", body: "A timesheet was paid" };

function payloadOf(message: string, key: string) {
  const parts = JSON.parse(message);
  expect(Object.keys(parts).sort()).toEqual([key, "default"].sort());
  return JSON.parse(parts[key]);
}

test("D29: FCM gets its HTTP v1 form, with what collapses a push that comes twice, on every kind of device", () => {
  const { message, attributes } = renderPush("fcm", content);
  expect(payloadOf(message, "GCM")).toEqual({
    fcmV1Message: {
      message: {
        notification: words,
        data,
        android: { collapse_key: "7654321", priority: "high", notification: { tag: "7654321" } },
        webpush: { headers: { Topic: "7654321" }, notification: { ...words, tag: "7654321" } },
        apns: { headers: { "apns-collapse-id": "7654321" } },
      },
    },
  });
  expect(attributes).toEqual({});
});

test.each([
  ["apns", "APNS"],
  ["apns_sandbox", "APNS_SANDBOX"],
] as const)("D29: %s gets an alert under the key %s, and its collapse id beside it", (service, key) => {
  const { message, attributes } = renderPush(service, content);
  expect(payloadOf(message, key)).toEqual({ aps: { alert: words }, ...data });
  expect(attributes).toMatchObject({ "AWS.SNS.MOBILE.APNS.COLLAPSE_ID": "7654321" });
});

test("D29: a push fits what the push services take, whatever other systems name their records", () => {
  const long = "界".repeat(100);
  const { message } = renderPush("fcm", { ...content, record_type: long, type: long });
  expect(Buffer.byteLength(JSON.stringify(payloadOf(message, "GCM").fcmV1Message))).toBeLessThan(4_096);
});

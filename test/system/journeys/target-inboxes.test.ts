import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpService, startHttpService } from "../../../infra/local/http-service.ts";
import { openInboxes } from "./target-inboxes.ts";

/** The answer of each form of inbox: an older and a newer message to one person each. */
const answers: Readonly<Record<string, object>> = {
  "/_local/inbox": ["newer", "older"].map((text) => ({ channel: "push", to: "device", text })),
  "/_ministack/ses/messages": {
    messages: { "000000000000": ["older", "newer"].map((BodyText) => ({ To: ["a@example.com"], BodyText })) },
  },
  "/_ministack/sns/sms-messages": {
    sms_messages: { "+447400123456": ["older", "newer"].map((Message) => ({ PhoneNumber: "+447400123456", Message })) },
  },
};

let server: HttpService;

beforeAll(async () => {
  server = await startHttpService((request, response) => response.end(JSON.stringify(answers[request.url ?? ""])));
});

afterAll(() => server.close());

test.each([
  ["/_local/inbox", ["email", "sms", "push"], "device", "push"],
  ["/_ministack/ses/messages", ["email"], "a@example.com", "email"],
  ["/_ministack/sns/sms-messages", ["sms"], "+447400123456", "sms"],
])("the inbox %s shows the channels %j, and the newest message first", async (path, channels, to, channel) => {
  const inboxes = openInboxes([`http://127.0.0.1:${server.port}${path}`]);
  expect([...inboxes.channels]).toEqual(channels);
  expect(await inboxes.messageTo(to)).toMatchObject({ channel, to, text: "newer" });
  expect(await inboxes.messageTo(to, /old/)).toMatchObject({ text: "older" });
});

test("without an inbox no channel can be read", () => {
  expect(openInboxes([]).channels.size).toBe(0);
});

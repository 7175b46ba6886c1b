import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendEmail } from "../../shared/messages/send.ts";
import { useService } from "../support/service/service.ts";

useService();

const sent: URLSearchParams[] = [];
const ses = createServer(async (request, response) => {
  sent.push(new URLSearchParams(await text(request)));
  response.end("<SendEmailResponse><SendEmailResult><MessageId>1</MessageId></SendEmailResult></SendEmailResponse>");
});

beforeAll(async () => {
  await new Promise<void>((resolve) => ses.listen(0, "127.0.0.1", resolve));
  process.env.AWS_ENDPOINT_URL_SES = `http://127.0.0.1:${(ses.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => ses.close(resolve)));

test("an e-mail comes from the stage's address and goes by its configuration set, to one person", async () => {
  await sendEmail({ to: "ines@example.com", subject: "A subject", text: "Words", html: "<p>Words</p>" });
  expect(sent).toHaveLength(1);
  expect(Object.fromEntries(sent[0] ?? [])).toMatchObject({
    Action: "SendEmail",
    Source: "no-reply@workforce.example",
    ConfigurationSetName: "workforce-test-emails",
    "Destination.ToAddresses.member.1": "ines@example.com",
    "Message.Subject.Data": "A subject",
  });
  expect([...(sent[0]?.keys() ?? [])].filter((name) => name.startsWith("Destination."))).toHaveLength(1);
});

import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { handler as requestPasswordResetHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as deliverPin } from "../../../functions/workers/deliver-pin.ts";
import type { Inbox } from "../../../infra/local/aws/inbox.ts";
import { pinIn } from "../../../infra/local/aws/message-pin.ts";
import { guesserOf } from "../../../shared/accounts/requester.ts";
import { requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { overwriteLoginGuesses } from "../../../shared/db/accounts/guesses.ts";
import { pinKey, pins } from "../../../shared/db/accounts/pins.ts";
import { transact } from "../../../shared/db/table/transaction.ts";
import { noLoginGuesses } from "../../../shared/domain/guessing/login-guesses.ts";
import { readItem } from "../records/writes.ts";
import type { Service } from "../service/service.ts";
import { call } from "./call.ts";
import { forgetThrottles } from "./throttles.ts";

/** Hands every queued request for a pin to the worker, as the queue would. */
export async function deliverPins(): Promise<void> {
  const client = new SQSClient({});
  const QueueUrl = process.env.PIN_QUEUE_URL;
  for (;;) {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) break;
    const records = Messages.map(({ MessageId, Body }) => ({ messageId: MessageId, body: Body }));
    const { batchItemFailures } = await deliverPin({ Records: records } as SQSEvent);
    if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} requests for pins failed`);
    for (const { ReceiptHandle } of Messages) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
  client.destroy();
}

/** The pin in the newest message to a login. */
export function newestPin(inbox: Inbox, to: string): string {
  const message = inbox.entries().find((entry) => entry.to === to);
  const pin = pinIn(message?.text);
  if (!pin) throw new Error(`No message to ${to} carries a pin`);
  return pin;
}

/** Asks for a pin as often as a test needs to, and reads it from the message. */
export async function askForPin(service: Service, login: string): Promise<string> {
  await forgetThrottles(service);
  await call(requestPasswordResetHandler, requestPasswordReset, { body: { user: { login } } });
  await deliverPins();
  return newestPin(service.inbox, login);
}

/** Has the guesses at a login know its stored pin: a request that a test queued itself was counted by no operation. */
export async function countAsAsked(login: string): Promise<void> {
  const { request_id, requested_at, valid_to, digits } = pins.decode((await readItem(pinKey(login))) ?? {});
  const asked = { request_id, asked_at: Date.parse(requested_at), valid_to: Date.parse(valid_to), digits };
  const { loginHash } = await guesserOf(login, { address: "", isKnown: false });
  const guesses = { ...noLoginGuesses, pin: { ...asked, registers: false } };
  await transact([overwriteLoginGuesses(loginHash, guesses, new Date())]);
}

/** A pin that is not this one: the first after it, or one further on. */
export function otherPin(pin: string, further = 1): string {
  return String((Number(pin) + further) % 10 ** pin.length).padStart(pin.length, "0");
}

import { setTimeout as pause } from "node:timers/promises";
import type { InboxEntry } from "../../../infra/runtime/aws/inbox.ts";

type Channel = InboxEntry["channel"];

/** A message to a person, as far as a test reads it. */
export type ReadMessage = Pick<InboxEntry, "channel" | "to" | "text">;

/** Addresses that show what a service sends. */
export interface Inboxes {
  /** The channels whose messages can be read. */
  readonly channels: ReadonlySet<Channel>;
  /** The newest message to someone; it travels through a queue, so it is waited for. */
  messageTo(to: string, about?: RegExp): Promise<ReadMessage>;
}

const waitsMs = 45_000;
const pauseMs = 100;

/**
 * Inboxes by their addresses, in one of three forms: the local machine's `/_local/inbox`, and an emulator's
 * `/_ministack/ses/messages` for e-mail and `/_ministack/sns/sms-messages` for SMS.
 */
export function openInboxes(addresses: readonly string[]): Inboxes {
  const readers = addresses.map((address) => ({ address, ...formOf(address) }));
  const read = async () =>
    (await Promise.all(readers.map(({ address, read }) => fetchJson(address).then(read)))).flat();
  return {
    channels: new Set(readers.flatMap(({ channels }) => channels)),
    async messageTo(to, about = /./) {
      const deadline = Date.now() + waitsMs;
      while (Date.now() < deadline) {
        const message = (await read()).find((entry) => entry.to === to && about.test(entry.text ?? ""));
        if (message) return message;
        await pause(pauseMs);
      }
      throw new Error(`No message to ${to} arrived`);
    },
  };
}

interface InboxForm {
  readonly channels: readonly Channel[];
  /** The messages of an answer, newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer of one of three forms
  read(answer: any): ReadMessage[];
}

function formOf(address: string): InboxForm {
  const { pathname } = new URL(address);
  if (pathname.endsWith("/ses/messages")) return { channels: ["email"], read: readEmulatedEmails };
  if (pathname.endsWith("/sns/sms-messages")) return { channels: ["sms"], read: readEmulatedSms };
  return { channels: ["email", "sms", "push"], read: (entries: InboxEntry[]) => entries };
}

/** By account, oldest first. */
function readEmulatedEmails({ messages }: { messages: Record<string, { To: string[]; BodyText: string }[]> }) {
  const emails = Object.values(messages).flat().toReversed();
  return emails.flatMap(({ To, BodyText }) => To.map((to) => ({ channel: "email" as const, to, text: BodyText })));
}

/** By number, oldest first. */
function readEmulatedSms({
  sms_messages,
}: {
  sms_messages: Record<string, { PhoneNumber: string; Message: string }[]>;
}) {
  const sms = Object.values(sms_messages).flat().toReversed();
  return sms.map(({ PhoneNumber, Message }) => ({ channel: "sms" as const, to: PhoneNumber, text: Message }));
}

async function fetchJson(address: string): Promise<unknown> {
  const answer = await fetch(address, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`The inbox ${address} answered ${answer.status}`);
  return answer.json();
}

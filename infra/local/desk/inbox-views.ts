import { hash } from "node:crypto";
import type { OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import { deviceOwnerKey } from "../../../shared/notifications/devices.ts";
import { loginKey } from "../../../shared/people/logins.ts";
import { hashToken } from "../../../shared/tokens/secrets.ts";
import type { DeliveredEvent } from "../../runtime/aws/event-buses.ts";
import type { InboxEntry } from "../../runtime/aws/inbox.ts";
import { parseJson } from "../../runtime/json-text.ts";
import { pinIn } from "../message-pin.ts";
import type { ItemIndex } from "./item-index.ts";
import type { InboxView } from "./views.ts";

/** Messages as the page shows them, with the recipient of each. */
export function viewInbox(entries: readonly InboxEntry[], index: Pick<ItemIndex, "ownerOf">): InboxView[] {
  return entries.map((entry) => {
    const { channel, to, html, sent_at } = entry;
    const isPush = channel === "push";
    const owner = index.ownerOf(isPush ? deviceOwnerKey(hashToken(to)) : loginKey(to.toLowerCase()));
    return {
      id: mailId(entry),
      channel,
      to,
      person: owner ? { id: owner.id, name: owner.name } : null,
      ...(isPush ? alertOf(entry.text ?? "") : { subject: entry.subject, text: entry.text ?? "" }),
      hasHtml: html !== null,
      pin: isPush ? null : (pinIn(entry.text) ?? null),
      at: Date.parse(sent_at),
    };
  });
}

/** Outgoing events as the page shows them among the messages. */
export function viewEvents(events: readonly DeliveredEvent[]): InboxView[] {
  return events.map(({ id, detail }) => {
    const { type, subject, time } = detail as OutboundEvent;
    const own = { subject, text: JSON.stringify(detail), hasHtml: false, pin: null, at: Date.parse(time) };
    return { id, channel: "event", to: type, person: null, ...own };
  });
}

/** The HTML of the mail with an id; undefined if there is none. */
export function htmlOf(entries: readonly InboxEntry[], id: string): string | undefined {
  return entries.find((entry) => mailId(entry) === id)?.html ?? undefined;
}

/** An id that depends on the message alone, not on its position. */
function mailId(entry: InboxEntry): string {
  return hash("sha256", JSON.stringify(entry));
}

/** The words of a push on a phone: the alert of APNs, or the notification of FCM. */
function alertOf(payload: string): { subject: string; text: string } {
  type Alert = { title?: string; body?: string };
  type Payload = { aps?: { alert?: Alert }; fcmV1Message?: { message?: { notification?: Alert } } };
  const { aps, fcmV1Message } = (parseJson(payload) ?? {}) as Payload;
  const { title = "Push", body = payload } = aps?.alert ?? fcmV1Message?.message?.notification ?? {};
  return { subject: title, text: body };
}

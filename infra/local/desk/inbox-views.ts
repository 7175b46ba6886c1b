import { createHash } from "node:crypto";
import { findDeviceOwner } from "../../../shared/db/notifications/device-owners.ts";
import { hashToken } from "../../../shared/domain/token-hash.ts";
import type { InboxEntry } from "../aws/inbox.ts";
import { pinIn } from "../aws/message-pin.ts";
import type { InboxView, Person } from "./views.ts";

/** Messages as the page shows them, with the recipient of each. */
export async function viewInbox(entries: readonly InboxEntry[], people: readonly Person[]): Promise<InboxView[]> {
  const byLogin = new Map(people.flatMap((person) => person.logins.map((login) => [login.toLowerCase(), person])));
  const tokens = new Set(entries.flatMap(({ channel, to }) => (channel === "push" ? [to] : [])));
  const owners = new Map(await Promise.all([...tokens].map(async (token) => [token, await ownerOf(token)] as const)));
  return entries.map((entry) => {
    const { channel, to, subject, text, html } = entry;
    const owner = channel === "push" ? people.find(({ id }) => id === owners.get(to)) : byLogin.get(to.toLowerCase());
    return {
      id: mailId(entry),
      channel,
      to,
      person: owner ? { id: owner.id, name: owner.name } : null,
      subject,
      text,
      hasHtml: html !== null,
      pin: channel === "push" ? null : (pinIn(text) ?? null),
      sentAt: Date.parse(entry.sent_at),
    };
  });
}

/** The HTML of the mail with an id; undefined if there is none. */
export function htmlOf(entries: readonly InboxEntry[], id: string): string | undefined {
  return entries.find((entry) => entry.html !== null && mailId(entry) === id)?.html ?? undefined;
}

/** An id that depends on the message alone, not on its position. */
function mailId(entry: InboxEntry): string {
  return createHash("sha256").update(JSON.stringify(entry)).digest("hex").slice(0, 16);
}

async function ownerOf(token: string): Promise<number | undefined> {
  return (await findDeviceOwner(hashToken(token), { consistent: false }))?.user_id;
}

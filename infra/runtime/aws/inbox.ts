import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeWholeFile } from "../../support/whole-file.ts";
import { parseJson } from "../json-text.ts";

/** One message the service sent, in the form its recipient would see. */
export interface InboxEntry {
  channel: "email" | "sms" | "push";
  to: string;
  subject: string | null;
  text: string | null;
  html: string | null;
  /** ISO 8601 in UTC with milliseconds. */
  sent_at: string;
}

/** Everything the service sent, newest first. */
export interface LocalInbox {
  add(entry: Omit<InboxEntry, "sent_at">): void;
  entries(): InboxEntry[];
  clear(): void;
}

const kept = 500;
/** The file grows to more lines before it is rewritten, so that most messages cost one. */
const mostLines = 1_000;
/** Messages contain pins. */
const ownersOnly = 0o600;

/** An inbox of the newest 500 messages. With a JSONL file, it outlives the process. */
export function openInbox(file?: string): LocalInbox {
  let entries = file ? readEntries(file) : [];
  const rewrite = () => file && writeWholeFile(file, entries.map(line).join(""), ownersOnly);
  if (file) mkdirSync(dirname(file), { recursive: true });
  return {
    add(message) {
      const entry = { ...message, sent_at: new Date().toISOString() };
      entries.push(entry);
      if (file) appendFileSync(file, line(entry), { mode: ownersOnly });
      if (entries.length < mostLines) return;
      entries = entries.slice(-kept);
      rewrite();
    },
    entries: () => entries.slice(-kept).reverse(),
    clear() {
      entries = [];
      rewrite();
    },
  };
}

function line(entry: InboxEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

function readEntries(file: string): InboxEntry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  // A process killed while writing leaves at most one incomplete line. It is skipped, so that the next start works.
  return lines.flatMap((text) => (parseJson(text) as InboxEntry | undefined) ?? []);
}

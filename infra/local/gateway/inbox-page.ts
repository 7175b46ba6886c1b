import { createHash } from "node:crypto";
import type { InboxEntry } from "../aws/inbox.ts";

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 44rem; padding: 1.5rem 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
ol { list-style: none; margin: 1.5rem 0; padding: 0; }
article { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .5rem; margin-bottom: 1rem; padding: 1rem; }
h2 { font-size: 1rem; margin: 0 0 .25rem; }
p.about { font-size: .875rem; margin: 0; opacity: .8; }
pre { font: inherit; margin: .75rem 0 0; overflow-wrap: anywhere; white-space: pre-wrap; }
iframe { background: #fff; border: 0; border-radius: .25rem; height: 24rem; width: 100%; }
summary { cursor: pointer; margin-top: .75rem; }
:focus-visible { outline: 3px solid; outline-offset: 2px; }
`;

// A page that reloads only when something came keeps the reader's place in a message.
const script = `
let seen;
setInterval(async () => {
  const inbox = await fetch("/_local/inbox").then((answer) => answer.text()).catch(() => seen);
  if (seen !== undefined && inbox !== seen) location.reload();
  seen = inbox;
}, 2000);
`;

/** The content security policy the page is served with: its own script, and from the messages nothing but styles. */
export const inboxPagePolicy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const channels: Record<InboxEntry["channel"], string> = { email: "E-mail", sms: "SMS", push: "Push message" };

/** The inbox as one HTML page that keeps itself fresh; entries come newest first. */
export function renderInboxPage(entries: InboxEntry[]): string {
  const list = entries.map((entry) => `<li>${renderEntry(entry)}</li>`).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inbox (${entries.length})</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Inbox</h1>
<p class="about">What the local machine sent, newest first; the page updates automatically.
<a href="/_local/inbox">The same as JSON</a></p>
${entries.length ? `<ol>\n${list}\n</ol>` : "<p>Nothing was sent yet.</p>"}
</main>
<script>${script}</script>
</body>
</html>
`;
}

function renderEntry(entry: InboxEntry): string {
  const parts = [
    `<h2>${escapeHtml(entry.subject ?? channels[entry.channel])}</h2>`,
    `<p class="about">${channels[entry.channel]} to ${escapeHtml(entry.to)}, <time datetime="${escapeHtml(entry.sent_at)}">${escapeHtml(entry.sent_at)}</time></p>`,
  ];
  if (entry.text !== null) parts.push(`<pre>${escapeHtml(entry.text)}</pre>`);
  if (entry.html !== null) {
    const frame = `<iframe sandbox="" title="HTML of this message" srcdoc="${escapeHtml(entry.html)}"></iframe>`;
    parts.push(`<details><summary>As HTML</summary>${frame}</details>`);
  }
  return `<article>\n${parts.join("\n")}\n</article>`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

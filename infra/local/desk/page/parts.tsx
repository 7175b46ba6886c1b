import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Live } from "./server.ts";

interface ActionProps {
  label: string;
  done?: string;
  act(): Promise<unknown>;
  primary?: boolean;
  title?: string;
  disabled?: boolean;
}

/** A button for an action that takes a moment. It shows the result. */
export function Action({ label, done = "Done", act, primary = false, title, disabled }: ActionProps) {
  const [said, setSaid] = useState<string>();
  const run = async () => {
    setSaid("…");
    const outcome = await act().then(
      (words) => (typeof words === "string" ? words : done),
      (error: Error) => error.message,
    );
    setSaid(outcome);
    setTimeout(() => setSaid(undefined), outcome === done ? 1_500 : 6_000);
  };
  return (
    <button type="button" class={primary ? "primary" : ""} onClick={run} title={title} disabled={disabled}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}

/** A button that copies a text, which may have to be fetched first. */
export function Copy({
  text,
  ...rest
}: { text: string | (() => Promise<string>) } & Pick<ActionProps, "label" | "primary" | "title">) {
  const act = async () => navigator.clipboard.writeText(typeof text === "string" ? text : await text());
  return <Action {...rest} done="Copied" act={act} />;
}

/** Shown in place of content that is still missing. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

/** The content, or the reason why it could not be read. */
export function Loaded<T>({ live, children }: { live: Live<T>; children: (value: T) => ComponentChildren }) {
  if (live.value !== undefined) return <>{children(live.value)}</>;
  return live.error ? <Empty title="It could not be read">{live.error}</Empty> : <p class="muted pad">Loading …</p>;
}

/** The heading of a view, its purpose, and its tools. */
export function Head({ title, about, children }: { title: string; about: string; children?: ComponentChildren }) {
  return (
    <header class="head">
      <div>
        <h1>{title}</h1>
        <p class="muted">{about}</p>
      </div>
      {children && <div class="tools">{children}</div>}
    </header>
  );
}

/** A field that narrows a list. */
export function Search({ label, value, onInput }: { label: string; value: string; onInput(value: string): void }) {
  return (
    <input
      type="search"
      placeholder={label}
      aria-label={label}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

/** True if every word of a search is in one of the texts. */
export function hasWords(wanted: string, ...texts: readonly unknown[]): boolean {
  const all = texts.join(" ").toLowerCase();
  return wanted
    .toLowerCase()
    .split(" ")
    .every((word) => all.includes(word));
}

/** One row of a card: name, description and actions. */
export function Row({ name, about, children }: { name: string; about: string; children?: ComponentChildren }) {
  return (
    <li class="queue">
      <span class="what">
        <strong class="break">{name}</strong>
        <span class="muted break">{about}</span>
      </span>
      {children}
    </li>
  );
}

interface SplitProps {
  list: ComponentChildren;
  detail: ComponentChildren;
  /** The id of the open item, if there is one, and the address that closes it. */
  openId: string | undefined;
  back: string;
  isSlim?: boolean;
}

/** A list beside its open item; a narrow page shows only one of them. */
export function Split({ list, detail, openId, back, isSlim = false }: SplitProps) {
  return (
    <div class={`split ${openId === undefined ? "" : "open"} ${isSlim ? "slim" : ""}`}>
      <div class="list">{list}</div>
      <div class="detail" key={openId}>
        {openId !== undefined && (
          <a class="back" href={back}>
            ← All
          </a>
        )}
        {detail}
      </div>
    </div>
  );
}

/** A time of day, with date and time as its title. */
export function Time({ at }: { at: number }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {date.toLocaleTimeString([], { hour12: false })}
    </time>
  );
}

/** A status, with its colour and words. */
export function Status({ status, code, isWork = false }: { status: number; code?: string | null; isWork?: boolean }) {
  const look = status >= 500 ? "bad" : status >= 400 ? "warn" : "good";
  const words = isWork ? (status < 400 ? "processed" : "failed") : String(status);
  return (
    <span class={`chip ${look}`}>
      {words}
      {code && ` ${code}`}
    </span>
  );
}

/** JSON on several lines, or other text as it is. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be focused can be scrolled by keyboard.
    <section class="code" tabIndex={0} aria-label={label}>
      {spread(text)}
    </section>
  );
}

function spread(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

import type { ComponentProps, ComponentChildren as Content } from "preact";
import { useState } from "preact/hooks";
import { spreadJson } from "../../../runtime/json-text.ts";
import { type ChangeView, plural, type RequestRow } from "../views.ts";
import { useLive } from "./server.ts";

type ActionProps = ComponentProps<"button"> & {
  label: string;
  done?: string;
  act(): Promise<unknown>;
  primary?: boolean;
};

/** A button for an action that takes a moment. It shows the result, a refusal as such. */
export function Action({ label, done = "Done", act, primary = false, ...rest }: ActionProps) {
  const [said, setSaid] = useState<{ words: string; isBad?: boolean }>();
  const run = async () => {
    setSaid({ words: "…" });
    const outcome = await act().then(
      () => ({ words: done, isBad: false }),
      (error: Error) => ({ words: error.message, isBad: true }),
    );
    setSaid(outcome);
    setTimeout(() => setSaid(undefined), outcome.isBad ? 6_000 : 1_500);
  };
  const look = said?.isBad ? "refused" : primary ? "primary" : "";
  return (
    <button type="button" class={look} onClick={run} {...rest}>
      <span aria-live="polite">{said?.words ?? label}</span>
    </button>
  );
}

/** A button that copies a text, which may have to be fetched first. */
export function Copy({ text, ...rest }: Omit<ActionProps, "act"> & { text: string | (() => Promise<string>) }) {
  const act = async () => navigator.clipboard.writeText(typeof text === "string" ? text : await text());
  return <Action {...rest} done="Copied" act={act} />;
}

/** Shown in place of content that is still missing. */
export function Empty({ title, children }: { title: string; children?: Content }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

interface ReadProps<T> {
  path: string;
  children: (value: T) => Content;
}

/** Content of what the server answers, read again as long as it is shown; or the reason why it could not be read. */
export function Read<T>({ path, children }: ReadProps<T>) {
  const { value, error } = useLive<T>(path);
  if (value !== undefined) return <>{children(value)}</>;
  return error ? <Empty title="It could not be read">{error}</Empty> : <p class="muted pad">Loading …</p>;
}

/** The heading of a view, its purpose, and its tools. */
export function Head({ title, about, children }: { title: string; about: Content; children?: Content }) {
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

/** A list; without rows the words for that. */
export function Rows({ none, hint, children }: { none: string; hint?: Content; children: readonly Content[] }) {
  if (children.length === 0) return <Empty title={none}>{hint}</Empty>;
  return <ul class="rows">{children}</ul>;
}

export function LinkRow({ href, isOpen, children }: { href: string; isOpen: boolean; children: Content }) {
  return (
    <li>
      <a class="row" href={href} aria-current={isOpen ? "true" : undefined}>
        {children}
      </a>
    </li>
  );
}

interface SplitProps {
  list: Content;
  /** The open item; if there is none, the words that invite to open one. */
  detail: Content;
  hint?: string;
  /** The id of the open item, if there is one, and the address that closes it. */
  openId: string | undefined;
  back: string;
}

/** A list beside its open item; a narrow page shows only one of them. */
export function Split({ list, detail, hint, openId, back }: SplitProps) {
  return (
    <div class={openId === undefined ? "split" : "split open"}>
      <div class="list">{list}</div>
      <div class="detail" key={openId}>
        {openId !== undefined && (
          <a class="back" href={back}>
            ← All
          </a>
        )}
        {detail || <Empty title="Nothing is open">{hint}</Empty>}
      </div>
    </div>
  );
}

/** A time of day, with its date as its title; or both. */
export function Time({ at, isLong = false }: { at: number; isLong?: boolean }) {
  const date = new Date(at);
  const long = date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
  return (
    <time dateTime={date.toISOString()} title={long}>
      {isLong ? long : date.toLocaleTimeString("en-GB")}
    </time>
  );
}

interface BarProps {
  from?: number;
  length: number;
  whole: number;
  look?: string;
}

/** A piece of time within a whole one, as a bar. */
export function Bar({ from = 0, length, whole, look = "" }: BarProps) {
  const share = (part: number) => `${Math.min(100, (100 * Math.max(0, part)) / Math.max(1, whole)).toFixed(2)}%`;
  return (
    <span class="bar" aria-hidden="true">
      <i class={look} style={{ left: `min(${share(from)}, 100% - 4px)`, width: share(length) }} />
    </span>
  );
}

export function Status({ status, code, kind, isBad }: RequestRow) {
  const isWork = kind === "work";
  const look = status >= 500 ? "bad" : status >= 400 ? "warn" : "good";
  const words = isWork ? (status < 400 ? "processed" : "failed") : String(status);
  return (
    <>
      <span class={`chip ${look}`}>
        {words}
        {code && `${isWork ? ":" : ""} ${code}`}
      </span>
      {isBad && status < 400 && <span class="chip bad">a worker failed</span>}
    </>
  );
}

/** JSON on several lines, or other text as it is. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y: what can be focused can be scrolled by keyboard, and a section would be a landmark.
    <div class="code" role="group" tabIndex={0} aria-label={label}>
      {spreadJson(text)}
    </div>
  );
}

/** A text behind its summary. */
export function Fold({ text, label, children }: { text: string; label: string; children: Content }) {
  return (
    <details class="wide">
      <summary>{children}</summary>
      <Code text={text} label={label} />
    </details>
  );
}

/** Names and what each stands for. */
export function Facts({ of, isSmall = false }: { of: readonly (readonly [string, Content])[]; isSmall?: boolean }) {
  return (
    <dl class={isSmall ? "facts small" : "facts"}>
      {of.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}
    </dl>
  );
}

/** Fields before and after a change, folded if there are many. */
export function Fields({ fields }: Pick<ChangeView, "fields">) {
  const both = ({ before, after }: (typeof fields)[number]) => (
    <>
      {before !== null && <del>{JSON.stringify(before)}</del>} {after !== null && <ins>{JSON.stringify(after)}</ins>}
    </>
  );
  return (
    <details open={fields.length <= 4}>
      <summary>{plural(fields.length, "field")}</summary>
      <Facts isSmall of={fields.map((field) => [field.name, both(field)])} />
    </details>
  );
}

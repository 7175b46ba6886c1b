import { type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { elsewhere } from "../views.ts";
import { Inbox } from "./inbox.tsx";
import { Head } from "./parts.tsx";
import { People } from "./people.tsx";
import { Requests } from "./requests.tsx";

type View = ComponentType<{ id: string | undefined }>;

const views: Readonly<Record<string, View>> = { Requests, Inbox, People };

function Desk() {
  const [name, id] = useRoute();
  const title = Object.keys(views).find((each) => each.toLowerCase() === name) ?? "Requests";
  const View = views[title] ?? Requests;
  useEffect(followKeys, []);
  useEffect(() => {
    document.title = `${title} – Workforce desk`;
  }, [title]);
  return (
    <>
      <nav aria-label="Views">
        <div class="brand">
          <img src="/_local/desk.svg" alt="" width="24" height="24" />
          <span>Workforce</span>
        </div>
        <ul>
          {Object.keys(views).map((each) => (
            <li key={each}>
              <a href={`#/${each.toLowerCase()}`} aria-current={each === title ? "page" : undefined}>
                {each}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main>
        {Object.hasOwn(elsewhere, name) ? <Head title="Nothing here" about={elsewhere[name]} /> : <View id={id} />}
      </main>
    </>
  );
}

/** The name of the view and its open item, from the address, so that a reload keeps both. */
function useRoute(): [string, string | undefined] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const [, name = "", id] = hash.split("/");
  // Search parameters are decoded even if they are not valid percent-encoding.
  const opened = id && new URLSearchParams(`id=${id}`).get("id");
  return [name, opened || undefined];
}

/** Keys for lists: j and k move between rows, / goes to the search, c copies the open request. Returns what ends them. */
function followKeys(): () => void {
  const follow = (event: KeyboardEvent) => {
    const isTyping = (event.target as Element).matches("input, textarea, select");
    if (event.ctrlKey || event.metaKey || event.altKey || (isTyping && event.key !== "Escape")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  addEventListener("keydown", follow);
  return () => removeEventListener("keydown", follow);
}

const keys: Readonly<Record<string, () => void>> = {
  j: () => move(1),
  k: () => move(-1),
  "/": () => document.querySelector<HTMLElement>('input[type="search"]')?.focus(),
  c: () => document.querySelector<HTMLElement>("[data-key=c]")?.click(),
  Escape: () => (document.activeElement as HTMLElement | null)?.blur(),
};

/** Moves the focus by a row, from the focused or else the open one. */
function move(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("a.row")];
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const from = focused >= 0 ? focused : rows.findIndex((row) => row.ariaCurrent === "true");
  rows[Math.min(rows.length - 1, Math.max(0, from + by))]?.focus();
}

render(<Desk />, document.getElementById("desk") as HTMLElement);

import { type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Data } from "./data.tsx";
import { Events } from "./events.tsx";
import { Home } from "./home.tsx";
import { Inbox } from "./inbox.tsx";
import { followKeys } from "./keys.ts";
import { People } from "./people.tsx";
import { Requests } from "./requests.tsx";
import { routeOf } from "./route.ts";
import { watchConnection } from "./server.ts";

const views: Readonly<Record<string, { title: string; View: ComponentType<{ id: string | undefined }> }>> = {
  home: { title: "Home", View: Home },
  requests: { title: "Requests", View: Requests },
  inbox: { title: "Inbox", View: Inbox },
  people: { title: "People", View: People },
  data: { title: "Data", View: Data },
  events: { title: "Events", View: Events },
};

function Desk() {
  const [name, id] = useRoute();
  const { title, View } = views[name] ?? { title: "Home", View: Home };
  const [isConnected, setConnected] = useState(true);
  useEffect(() => watchConnection(setConnected), []);
  useEffect(followKeys, []);
  useEffect(() => {
    document.title = `${title} – Workforce desk`;
  }, [title]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <nav aria-label="Views">
        <div class="brand">
          <img src="/_local/desk.svg" alt="" width="24" height="24" />
          <span>Workforce</span>
        </div>
        <ul>
          {Object.entries(views).map(([each, view]) => (
            <li key={each}>
              <a href={`#/${each}`} aria-current={view.title === title ? "page" : undefined}>
                {view.title}
              </a>
            </li>
          ))}
        </ul>
        <p class={`connection ${isConnected ? "" : "lost"}`} role="status">
          {isConnected ? location.host : "The machine has ended"}
        </p>
      </nav>
      <main id="main" tabIndex={-1}>
        <View id={id} />
      </main>
    </>
  );
}

/** The view and its open item, from the address, so that a reload keeps both. */
function useRoute(): [string, string | undefined] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return routeOf(hash, views);
}

render(<Desk />, document.getElementById("desk") as HTMLElement);

import { useState } from "preact/hooks";
import type { PeopleView, ShownPerson, StartView } from "../views.ts";
import { Action, Copy, Empty, Head, Read, Rows, Search } from "./parts.tsx";
import { tokenOf, useLive } from "./server.ts";

/** Everyone by company, each with a token to copy. */
export function People() {
  const [text, setText] = useState("");
  return (
    <>
      <Head
        title="People"
        about="Copy a token and call the API as anyone. It is valid for a day, on this machine only."
      >
        <Search label="Search by name, login, role" value={text} onInput={setText} />
      </Head>
      <Read<PeopleView> path={`people?words=${encodeURIComponent(text)}`}>{(view) => <Groups {...view} />}</Read>
    </>
  );
}

function Groups({ people, total }: PeopleView) {
  const { docs = null, demoPassword } = useLive<StartView>("start").value ?? {};
  const companies = Object.entries(
    Object.groupBy(people, ({ company, role }) => company ?? (role === "admin" ? "Platform" : "No company")),
  );
  return (
    <div class="pad stack">
      <p class="muted">
        {people.length} of {total.toLocaleString("en-GB")} people. Those that <code>npm start</code> prints sign in with
        the password <code>{demoPassword}</code> until they change it; the others have none.
      </p>
      {people.length === 0 && (
        <Empty title="Nobody is found">
          {total > 0 ? "No name, login or role contains that." : "The desk has seen no user yet."}
        </Empty>
      )}
      {companies.map(([company, members = []]) => (
        <section key={company} class="card" aria-label={company}>
          <h2>{company}</h2>
          <Rows none="Nobody">
            {members.map((person) => (
              <PersonRow key={person.id} person={person} docs={docs} />
            ))}
          </Rows>
        </section>
      ))}
    </div>
  );
}

function PersonRow({ person: { id, name, role, logins }, docs }: { person: ShownPerson; docs: string | null }) {
  /** Copies a token and opens the reference page, which stores no token: people paste it there. */
  const open = async () => {
    await navigator.clipboard.writeText(await tokenOf(id));
    if (docs) window.open(docs, "_blank", "noopener");
  };
  return (
    <li class="item">
      <span class="what">
        <strong class="break">
          {name} <span class={`chip ${role}`}>{role}</span>
        </strong>
        <span class="muted break">{[...logins, `id ${id}`].join(" · ")}</span>
      </span>
      <span class="tools">
        {docs && (
          <Action label="Copy token, open docs" done="Token copied" act={open} title={`A token of ${name}, to paste`} />
        )}
        <Copy label="Copy token" text={() => tokenOf(id)} title={`A token of ${name}`} />
      </span>
    </li>
  );
}

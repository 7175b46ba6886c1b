import { useState } from "preact/hooks";
import type { PeopleView, Person } from "../views.ts";
import { Action, Copy, Empty, Head, hasWords, Loaded, Search } from "./parts.tsx";
import { tokenOf, useLive } from "./server.ts";

/** Everyone by company, each with a token to copy. */
export function People() {
  const live = useLive<PeopleView>("people");
  const [text, setText] = useState("");
  return (
    <>
      <Head
        title="People"
        about="Copy a token and call the API as anyone. It is valid for a day, on this machine only."
      >
        <Search label="Search by name, login, role" value={text} onInput={setText} />
      </Head>
      <Loaded live={live}>{(view) => <Groups {...view} text={text} />}</Loaded>
    </>
  );
}

function Groups({ people, docs, demoPassword, text }: PeopleView & { text: string }) {
  const found = people.filter((person) => matches(person, text));
  const companies = [...new Set(found.map(({ company }) => company))];
  if (found.length === 0)
    return (
      <Empty title="Nobody is found">
        {people.length > 0 ? "No name, login or role contains that." : "The table has no users yet."}
      </Empty>
    );
  return (
    <div class="pad stack">
      <p class="muted">
        Demo users sign in with the password <code>{demoPassword}</code> until they change it.
      </p>
      {companies.map((company) => (
        <section key={company} class="card" aria-label={company ?? "Platform"}>
          <h2>{company ?? "Platform"}</h2>
          <ul class="rows">
            {found
              .filter((person) => person.company === company)
              .map((person) => (
                <Row key={person.id} person={person} docs={docs} />
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Row({ person, docs }: { person: Person; docs: string | null }) {
  const { id, name, role, logins } = person;
  return (
    <li class="person">
      <span class="avatar" aria-hidden="true">
        {name.split(" ").map((part) => part[0])}
      </span>
      <span class="who">
        <span>
          <strong>{name}</strong> <span class={`chip ${role}`}>{role}</span>
        </span>
        <span class="muted">
          {logins.join(" · ")} · id {id}
        </span>
      </span>
      <span class="tools">
        {docs && <OpenDocs id={id} name={name} docs={docs} />}
        <Copy label="Copy token" text={() => tokenOf(id)} title={`A token of ${name}`} />
      </span>
    </li>
  );
}

/** Copies a token and opens the reference page, which stores no token: people paste it there. */
function OpenDocs({ id, name, docs }: { id: number; name: string; docs: string }) {
  const open = async () => {
    await navigator.clipboard.writeText(await tokenOf(id));
    window.open(docs, "_blank", "noopener");
  };
  return (
    <Action
      label="Open docs"
      done="Token copied"
      act={open}
      title={`Copies a token of ${name} and opens the reference page`}
    />
  );
}

function matches({ name, logins, role, company, id }: Person, text: string): boolean {
  return hasWords(text, name, role, company ?? "platform", `id ${id}`, ...logins);
}

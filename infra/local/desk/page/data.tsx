import { useState } from "preact/hooks";
import { type ItemsView, pluralOf, type ResourcesView } from "../views.ts";
import { Changes } from "./changes.tsx";
import { Action, Card, Code, Empty, Head, Loaded, Row, Search, Split } from "./parts.tsx";
import { Queues } from "./queues.tsx";
import { change, useLive } from "./server.ts";

/** Kinds that the interface shows; all others are internal. */
const records = ["company", "user", "timesheet", "invoice", "job", "notification"];
/** Kinds with a history of changes. */
const changed = ["user", "timesheet", "invoice", "job"];
/** Shown first: the records that most requests change. */
const firstShown = "timesheet";
const sections = { queues: "Queues", stream: "Stream", schedules: "Schedules and limits" } as const;

/** The contents of table, queues and stream, and the actions on them. */
export function Data({ id }: { id: string | undefined }) {
  const live = useLive<ResourcesView>("data", 2);
  const shown = id ?? firstShown;
  return (
    <>
      <Head title="Data" about="Queues, the table's stream, schedules, and everything that the table holds." />
      <Loaded live={live}>
        {(view) => (
          <Split
            openId={id}
            back="#/data"
            isSlim
            list={<Places view={view} openId={id} />}
            detail={
              <div class="pad stack">
                {id === "queues" && <Queues queues={view.queues} onDone={live.refresh} />}
                {id === "stream" && <Consumers consumers={view.consumers} />}
                {id === "schedules" && <Schedules schedules={view.schedules} />}
                {!Object.hasOwn(sections, shown) && <Kind view={view} kind={shown} />}
              </div>
            }
          />
        )}
      </Loaded>
    </>
  );
}

function Places({ view, openId = firstShown }: { view: ResourcesView; openId: string | undefined }) {
  const failed = view.queues.reduce((sum, { keepsFailed, waiting }) => sum + (keepsFailed ? waiting : 0), 0);
  const row = (id: string, title: string, about?: string) => (
    <li key={id}>
      <a class="row slim" href={`#/data/${encodeURIComponent(id)}`} aria-current={id === openId ? "true" : undefined}>
        <span class="what">{title}</span>
        {id === "queues" && failed > 0 && <span class="chip bad">{failed} failed</span>}
        {about && <span class="muted">{about}</span>}
      </a>
    </li>
  );
  const { kinds } = view;
  const kindRow = ({ name, count }: (typeof kinds)[number]) => row(name, titleOf(name), count.toLocaleString("en-GB"));
  return (
    <>
      <ul>{Object.entries(sections).map(([id, title]) => row(id, title))}</ul>
      <h2 class="divider">Records</h2>
      <ul>{records.flatMap((name) => kinds.filter((kind) => kind.name === name).map(kindRow))}</ul>
      <h2 class="divider">Internal items</h2>
      <ul>{kinds.filter(({ name }) => !records.includes(name)).map(kindRow)}</ul>
    </>
  );
}

function titleOf(kind: string): string {
  return pluralOf(kind).replace(/^./, (first) => first.toUpperCase());
}

/** The items of a kind; for another name, the names that there are. */
function Kind({ view: { kinds }, kind }: { view: ResourcesView; kind: string }) {
  if (kinds.some(({ name }) => name === kind)) return <Items key={kind} kind={kind} />;
  const links = [...Object.entries(sections), ...kinds.map(({ name }) => [name, titleOf(name)] as const)];
  return (
    <Card title={`There is no “${kind}”`}>
      <p class="pad tools">
        There are:
        {links.map(([id, title]) => (
          <a key={id} href={`#/data/${encodeURIComponent(id)}`}>
            {title}
          </a>
        ))}
      </p>
    </Card>
  );
}

function Consumers({ consumers }: { consumers: ResourcesView["consumers"] }) {
  return (
    <Card title="Stream">
      <ul class="rows">
        {consumers.map(({ functionName, after, behind }) => (
          <Row key={functionName} name={functionName} about={`after change ${after}`}>
            <span class={`chip ${behind ? "warn" : "good"}`}>
              {behind ? `${behind.toLocaleString("en-GB")} behind` : "up to date"}
            </span>
          </Row>
        ))}
      </ul>
    </Card>
  );
}

function Schedules({ schedules }: { schedules: ResourcesView["schedules"] }) {
  const reset = async () => `${(await change<{ count: number }>("limits")).count} counts forgotten`;
  return (
    <>
      <Card title="Schedules">
        <ul class="rows">
          {schedules.map(({ functionName, when }) => (
            <Row key={functionName} name={functionName} about={when}>
              <Action label="Run now" done="It ran" act={() => change("run", { function: functionName })} />
            </Row>
          ))}
        </ul>
      </Card>
      <Card title="Limits">
        <ul class="rows">
          <Row name="Pins, passwords, passcodes, SMS" about="How often each was tried or sent">
            <Action label="Reset" act={reset} />
          </Row>
        </ul>
      </Card>
    </>
  );
}

function Items({ kind }: { kind: string }) {
  const [text, setText] = useState("");
  const [places, setPlaces] = useState<string[]>([]);
  const search = new URLSearchParams({ kind, words: text, from: places.at(-1) ?? "" });
  const live = useLive<ItemsView>(`items?${search}`);
  const find = (words: string) => {
    setText(words);
    setPlaces([]);
  };
  return (
    <section class="card" aria-label={titleOf(kind)}>
      <h2 class="tools">
        <span class="what">{titleOf(kind)}</span>
        <Search label="Search by key, name, state" value={text} onInput={find} />
      </h2>
      <Loaded live={live}>
        {({ items, next }) => (
          <>
            {items.length === 0 && (
              <Empty title="None here">{text ? "None contains that." : "The table holds none of this kind."}</Empty>
            )}
            <ul class="rows">
              {items.map(({ key, title, item }) => (
                <li key={key} class="item">
                  <details class="wide">
                    <summary>
                      {title && <strong>{title}</strong>}{" "}
                      {records.includes(kind) ? `id ${item.id}` : <code class="break">{key}</code>}
                    </summary>
                    {changed.includes(kind) && <Changes kind={kind} id={Number(item.id)} />}
                    <Code text={JSON.stringify(item)} label={key} />
                  </details>
                </li>
              ))}
            </ul>
            {(places.length > 0 || next !== null) && (
              <p class="tools foot">
                <button type="button" disabled={places.length === 0} onClick={() => setPlaces(places.slice(0, -1))}>
                  Back
                </button>
                <button type="button" disabled={next === null} onClick={() => next && setPlaces([...places, next])}>
                  More
                </button>
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

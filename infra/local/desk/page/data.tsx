import { useState } from "preact/hooks";
import { type ItemView, pluralOf, type QueueView, type RecordChange, type ResourcesView } from "../views.ts";
import { Action, Card, Code, Empty, Fields, Head, Loaded, Row, Search, Split, Time } from "./parts.tsx";
import { change, useLive } from "./server.ts";
import { queueTitle } from "./story.tsx";

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
      <Head
        title="Data"
        about="Queues, the table's stream, schedules, and the newest 50 items of each kind: search for others."
      />
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
                {!Object.hasOwn(sections, shown) && <Items key={shown} kind={shown} />}
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

function Queues({ queues, onDone }: { queues: readonly QueueView[]; onDone(): void }) {
  const shown = queues.filter(({ deadLettersOf }) => deadLettersOf === null);
  return (
    <Card title="Queues">
      <ul class="rows">
        {shown
          .toSorted((one, other) => one.name.localeCompare(other.name))
          .map((queue) => (
            <Queue
              key={queue.name}
              queue={queue}
              dead={queues.find(({ deadLettersOf }) => deadLettersOf === queue.name)}
              onDone={onDone}
            />
          ))}
      </ul>
    </Card>
  );
}

function Queue({ queue, dead, onDone }: { queue: QueueView; dead: QueueView | undefined; onDone(): void }) {
  const failed = queue.keepsFailed ? queue : dead;
  const redrive = async () => {
    const { count } = await change<{ count: number }>("redrive", { queue: dead?.name });
    onDone();
    return `${count} sent again`;
  };
  return (
    <Row
      name={queueTitle(queue.name)}
      about={queue.keepsFailed ? "keeps what no queue took" : `${queue.inWork} in work`}
    >
      {!queue.keepsFailed && <span class={`chip ${queue.waiting > 0 ? "warn" : ""}`}>{queue.waiting} waiting</span>}
      {failed && <span class={`chip ${failed.waiting > 0 ? "bad" : ""}`}>{failed.waiting} failed</span>}
      {dead && (
        <Action
          label="Redrive"
          disabled={dead.waiting === 0}
          title="Sends what failed to the queue again"
          act={redrive}
        />
      )}
      {failed?.messages.map(({ id, sentAt, body }) => (
        <details key={id} class="wide">
          <summary>
            <Time at={sentAt} /> <code>{id}</code>
          </summary>
          <Code text={body} label={`Message ${id}`} />
        </details>
      ))}
    </Row>
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
  const live = useLive<ItemView[]>(`items?${new URLSearchParams({ kind, words: text })}`);
  return (
    <section class="card" aria-label={titleOf(kind)}>
      <h2 class="tools">
        <span class="what">{titleOf(kind)}</span>
        <Search label="Search by key, name, state" value={text} onInput={setText} />
      </h2>
      <Loaded live={live}>
        {(items) => (
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
          </>
        )}
      </Loaded>
    </section>
  );
}

function Changes({ kind, id }: { kind: string; id: number }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="wide" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Changes</summary>
      {isOpen && <ChangeList kind={kind} id={id} />}
    </details>
  );
}

function ChangeList({ kind, id }: { kind: string; id: number }) {
  const live = useLive<RecordChange[]>(`changes?kind=${kind}&id=${id}`);
  return (
    <Loaded live={live}>
      {(changes) => (
        <>
          {changes.length === 0 && <p class="muted">None is kept: it is as it was imported, or was never changed.</p>}
          <ol class="stack inside" aria-label="Changes">
            {changes.map((change) => (
              <Change key={change.id} change={change} />
            ))}
          </ol>
        </>
      )}
    </Loaded>
  );
}

function Change({ change: { at, action, by, operation, requestId, fields } }: { change: RecordChange }) {
  return (
    <li>
      <p class="muted break">
        <strong>{action}</strong> by {by}
        {operation && ` · ${operation}`} · <Time at={at} isLong />{" "}
        {requestId && <a href={`#/requests/${encodeURIComponent(requestId)}`}>request</a>}
      </p>
      <Fields fields={fields} />
    </li>
  );
}

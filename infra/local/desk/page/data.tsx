import { useState } from "preact/hooks";
import { type ItemView, pluralOf, type QueueView, type RecordChange, type ResourcesView } from "../views.ts";
import { Action, Card, Code, Fields, Fold, Head, LinkRow, Loaded, Row, Rows, Search, Split, Time } from "./parts.tsx";
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
  const failed = view.queues.reduce((sum, queue) => sum + queue.failed, 0);
  const row = (id: string, title: string, about?: string) => (
    <LinkRow key={id} href={`#/data/${encodeURIComponent(id)}`} isOpen={id === openId} isSlim>
      <span class="what">{title}</span>
      {id === "queues" && failed > 0 && <span class="chip bad">{failed} failed</span>}
      {about && <span class="muted">{about}</span>}
    </LinkRow>
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
  const sorted = queues.toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <Card title="Queues">
      <Rows>
        {sorted.map((queue) => (
          <Queue key={queue.name} queue={queue} onDone={onDone} />
        ))}
      </Rows>
    </Card>
  );
}

function Queue({ queue: { name, waiting, inWork, failed, messages }, onDone }: { queue: QueueView; onDone(): void }) {
  const redrive = async () => {
    const { count } = await change<{ count: number }>("redrive", { queue: name });
    onDone();
    return `${count} sent again`;
  };
  return (
    <Row name={queueTitle(name)} about={waiting === null ? "keeps what no queue took" : `${inWork} in work`}>
      {waiting !== null && <span class={`chip ${waiting > 0 ? "warn" : ""}`}>{waiting} waiting</span>}
      <span class={`chip ${failed > 0 ? "bad" : ""}`}>{failed} failed</span>
      {waiting !== null && (
        <Action label="Redrive" disabled={failed === 0} title="Sends what failed to the queue again" act={redrive} />
      )}
      {messages.map(({ id, sentAt, body }) => (
        <Fold key={id} text={body} label={`Message ${id}`}>
          <Time at={sentAt} /> <code>{id}</code>
        </Fold>
      ))}
    </Row>
  );
}

function Consumers({ consumers }: Pick<ResourcesView, "consumers">) {
  return (
    <Card title="Stream">
      <Rows>
        {consumers.map(({ functionName, after, behind }) => (
          <Row key={functionName} name={functionName} about={`after change ${after}`}>
            <span class={`chip ${behind ? "warn" : "good"}`}>
              {behind ? `${behind.toLocaleString("en-GB")} behind` : "up to date"}
            </span>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function Schedules({ schedules }: Pick<ResourcesView, "schedules">) {
  const reset = async () => `${(await change<{ count: number }>("limits")).count} counts forgotten`;
  return (
    <Card title="Schedules and limits">
      <Rows>
        {[
          ...schedules.map(({ functionName, when }) => (
            <Row key={functionName} name={functionName} about={when}>
              <Action label="Run now" done="It ran" act={() => change("run", { function: functionName })} />
            </Row>
          )),
          <Row key="limits" name="Pins, passwords, passcodes, SMS" about="How often each was tried or sent">
            <Action label="Reset" act={reset} />
          </Row>,
        ]}
      </Rows>
    </Card>
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
          <Rows none="None here" hint={text ? "None contains that." : "The table holds none of this kind."}>
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
          </Rows>
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

function Change({ change: { at, action, by, operation, request_id, fields } }: { change: RecordChange }) {
  return (
    <li>
      <p class="muted break">
        <strong>{action.replaceAll("_", " ")}</strong> by {by.name ?? `${by.kind} ${by.id ?? ""}`}
        {operation && ` · ${operation}`} · <Time at={Date.parse(at)} isLong />{" "}
        {request_id && <a href={`#/requests/${encodeURIComponent(request_id)}`}>request</a>}
      </p>
      <Fields fields={fields} />
    </li>
  );
}

import type { ComponentChildren as Content } from "preact";
import { useState } from "preact/hooks";
import {
  type ItemView,
  isBad,
  type KindView,
  pluralOf,
  type RecordChange,
  type ResourceRow,
  type ResourcesView,
} from "../views.ts";
import { Action, Card, Code, Fields, Fold, Head, LinkRow, Read, Row, Rows, Search, Split, Time } from "./parts.tsx";
import { change } from "./server.ts";

/** Shown first: the records that most requests change. */
const firstShown = "timesheet";
const sections = [
  ["queues", "Queues"],
  ["stream", "Stream"],
  ["schedules", "Schedules and limits"],
] as const;

/** The contents of table, queues and stream, and the actions on them. */
export function Data({ id }: { id: string | undefined }) {
  const openId = id ?? firstShown;
  const section = sections.find(([name]) => name === openId);
  return (
    <>
      <Head
        title="Data"
        about="Queues, the table's stream, schedules, and the newest 50 items of each kind: search for others."
      />
      <Read<ResourcesView> path="data" everySeconds={2}>
        {(view) => (
          <Split
            openId={id}
            back="#/data"
            list={<Places view={view} openId={openId} />}
            detail={
              <div class="pad stack">
                {section ? (
                  <Resources title={section[1]} rows={view[section[0]]} />
                ) : (
                  <Items key={openId} name={openId} kind={view.kinds.find(({ name }) => name === openId)} />
                )}
              </div>
            }
          />
        )}
      </Read>
    </>
  );
}

function Places({ view, openId }: { view: ResourcesView; openId: string }) {
  const row = (id: string, title: string, about: Content) => (
    <LinkRow key={id} href={`#/data/${encodeURIComponent(id)}`} isOpen={id === openId}>
      <span class="what">{title}</span>
      {about}
    </LinkRow>
  );
  const kindRow = ({ name, count }: KindView) =>
    row(name, titleOf(name), <span class="muted">{count.toLocaleString("en-GB")}</span>);
  const { kinds } = view;
  return (
    <>
      <ul>
        {sections.map(([id, title]) => {
          const bad = view[id].filter(isBad).length;
          return row(id, title, bad > 0 && <span class="chip bad">{bad} to look at</span>);
        })}
      </ul>
      <h2 class="divider">Records</h2>
      <ul>{kinds.filter(({ isRecord }) => isRecord).map(kindRow)}</ul>
      <h2 class="divider">Internal items</h2>
      <ul>{kinds.filter(({ isRecord }) => !isRecord).map(kindRow)}</ul>
    </>
  );
}

export function Resources({ title, rows, none }: { title: string; rows: readonly ResourceRow[]; none?: string }) {
  return (
    <Card title={title}>
      <Rows none={none}>
        {rows.map(({ name, about, chips = [], action, messages = [] }) => (
          <Row key={name} name={name} about={about}>
            {chips.map(({ words, look }) => (
              <span key={words} class={`chip ${look}`}>
                {words}
              </span>
            ))}
            {action && (
              <Action
                label={action.label}
                disabled={action.isIdle}
                act={async () => (await change<{ done: string }>(action.path, action.what)).done}
              />
            )}
            {messages.map(({ id, sentAt, body }) => (
              <Fold key={id} text={body} label={`Message ${id}`}>
                <Time at={sentAt} /> <code>{id}</code>
              </Fold>
            ))}
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function titleOf(kind: string): string {
  return pluralOf(kind).replace(/^./, (first) => first.toUpperCase());
}

function Items({ name, kind }: { name: string; kind: KindView | undefined }) {
  const [text, setText] = useState("");
  return (
    <Card title={titleOf(name)} tools={<Search label="Search by key, name, state" value={text} onInput={setText} />}>
      <Read<ItemView[]> path={`items?${new URLSearchParams({ kind: name, words: text })}`}>
        {(items) => (
          <Rows none="None here" hint={text ? "None contains that." : "The table holds none of this kind."}>
            {items.map(({ key, title, item }) => (
              <li key={key} class="item">
                <details class="wide">
                  <summary>
                    {title && <strong>{title}</strong>}{" "}
                    {kind?.isRecord ? `id ${item.id}` : <code class="break">{key}</code>}
                  </summary>
                  {kind?.hasHistory && <Changes path={`changes?kind=${name}&id=${item.id}`} />}
                  <Code text={JSON.stringify(item)} label={key} />
                </details>
              </li>
            ))}
          </Rows>
        )}
      </Read>
    </Card>
  );
}

/** The changes of a record, which are read when they are opened. */
function Changes({ path }: { path: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="wide" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Changes</summary>
      {isOpen && (
        <Read<RecordChange[]> path={path}>
          {(changes) => (
            <ol class="stack inside" aria-label="Changes">
              {changes.length === 0 && (
                <li class="muted">None is kept: it is as it was imported, or was never changed.</li>
              )}
              {changes.map((change) => (
                <Change key={change.id} change={change} />
              ))}
            </ol>
          )}
        </Read>
      )}
    </details>
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

import { useState } from "preact/hooks";
import type { RecordChange, RecordChangesView } from "../views.ts";
import { Fields, Loaded, Time } from "./parts.tsx";
import { useLive } from "./server.ts";

/** The changes of a record, read when the list is opened. */
export function Changes({ kind, id }: { kind: string; id: number }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="wide" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Changes</summary>
      {isOpen && <List kind={kind} id={id} />}
    </details>
  );
}

function List({ kind, id }: { kind: string; id: number }) {
  const live = useLive<RecordChangesView>(`changes?kind=${kind}&id=${id}`);
  return (
    <Loaded live={live}>
      {({ changes, hasMore }) => (
        <>
          {changes.length === 0 && <p class="muted">None is kept: it is as it was imported, or was never changed.</p>}
          <ol class="stack inside" aria-label="Changes">
            {changes.map((change) => (
              <Change key={change.id} change={change} />
            ))}
          </ol>
          {hasMore && (
            <p class="muted">
              Older ones: <code>{`npm run history -- ${kind} ${id}`}</code>
            </p>
          )}
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

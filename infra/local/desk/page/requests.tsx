import { useState } from "preact/hooks";
import type { RequestRow } from "../views.ts";
import { Empty, Head, hasWords, Loaded, Search, Split, Status, Time } from "./parts.tsx";
import { useLive } from "./server.ts";
import { Story } from "./story.tsx";

/** Every request as it comes in, and the story of the open one. */
export function Requests({ id }: { id: string | undefined }) {
  const live = useLive<RequestRow[]>("requests");
  const [text, setText] = useState("");
  return (
    <>
      <Head title="Requests" about="The newest 500, as they come in. Open one to see what followed from it.">
        <Search label="Search by path, user, status, code" value={text} onInput={setText} />
      </Head>
      <Loaded live={live}>
        {(rows) => (
          <Split
            openId={id}
            back="#/requests"
            list={<Rows rows={rows.filter((row) => matches(row, text))} openId={id} isFiltered={rows.length > 0} />}
            detail={
              id === undefined ? (
                <Empty title="Nothing is open">
                  Choose a request to see its story: handler, queues, workers, changes, messages.
                </Empty>
              ) : (
                <Story id={id} />
              )
            }
          />
        )}
      </Loaded>
    </>
  );
}

function Rows({
  rows,
  openId,
  isFiltered,
}: {
  rows: readonly RequestRow[];
  openId: string | undefined;
  isFiltered: boolean;
}) {
  if (rows.length === 0) {
    return (
      <Empty title="No requests">
        {isFiltered ? "None matches the search." : `Call ${location.origin}/api/v1/… and it appears here.`}
      </Empty>
    );
  }
  return (
    <ul class="rows">
      {rows.map((row) => (
        <li key={row.id}>
          <a
            class="row request"
            href={`#/requests/${encodeURIComponent(row.id)}`}
            aria-current={row.id === openId ? "true" : undefined}
          >
            <span class="what">
              <span class="clip">
                <b class="method">{row.method}</b> <code>{row.target.replace("/api/v1", "")}</code>
              </span>
              <span class="muted">
                <Time at={row.at} /> · {row.milliseconds.toFixed(0)} ms
                {row.user && ` · ${row.user.name || `user ${row.user.id}`}`}
                {row.code && <span class="code-name"> · {row.code}</span>}
              </span>
            </span>
            <Status status={row.status} isWork={row.kind === "work"} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function matches({ method, target, status, code, user, functionName, id }: RequestRow, text: string): boolean {
  return hasWords(text, method, target, status, code, user?.name, user?.login, functionName, id);
}

import { useState } from "preact/hooks";
import { durationOf, type RequestRow } from "../views.ts";
import { Bar, Head, hasWords, LinkRow, Read, Rows, Search, Split, Status, Time } from "./parts.tsx";
import { Story } from "./story.tsx";

const outcomes: Readonly<Record<string, (status: number) => boolean>> = {
  succeeded: (status) => status < 400,
  refused: (status) => status >= 400 && status < 500,
  failed: (status) => status >= 500,
};
const everything = { text: "", person: "", outcome: "", operation: "" };

/** Every request as it comes in, and the story of the open one. */
export function Requests({ id }: { id: string | undefined }) {
  const [wanted, setWanted] = useState(everything);
  const want = (part: Partial<typeof everything>) => setWanted({ ...wanted, ...part });
  return (
    <Read<RequestRow[]> path="requests">
      {(rows) => (
        <>
          <Head
            title="Requests"
            about={
              <>
                The newest 500. <span class="keys">Keys: j and k move, Enter opens, / searches, c copies as curl.</span>
              </>
            }
          >
            <Search label="Search by path or code" value={wanted.text} onInput={(text) => want({ text })} />
            {choicesOf(rows).map(([field, label, all, options]) => (
              <select
                key={field}
                aria-label={label}
                value={wanted[field]}
                onChange={(event) => want({ [field]: event.currentTarget.value })}
              >
                <option value="">{all}</option>
                {options.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            ))}
          </Head>
          <Split
            openId={id}
            back="#/requests"
            list={
              <RequestRows
                rows={rows.filter((row) => matches(row, wanted))}
                openId={id}
                hint={rows.length > 0 ? "None matches." : `Call ${location.origin}/api/v1/… and it appears here.`}
              />
            }
            detail={id !== undefined && <Story id={id} />}
            hint="Choose a request to see what followed from it."
          />
        </>
      )}
    </Read>
  );
}

function choicesOf(rows: readonly RequestRow[]) {
  return [
    ["person", "Person", "Everyone", valuesOf(rows, nameOf)],
    ["outcome", "Status", "Any status", Object.keys(outcomes)],
    ["operation", "Operation", "Every operation", valuesOf(rows, ({ functionName }) => functionName)],
  ] as const;
}

interface RequestRowsProps {
  rows: readonly RequestRow[];
  openId?: string | undefined;
  hint?: string;
}

export function RequestRows({ rows, openId, hint }: RequestRowsProps) {
  const slowest = Math.max(...rows.map(({ milliseconds }) => milliseconds));
  return (
    <Rows none="No requests" hint={hint}>
      {rows.map((row) => (
        <LinkRow key={row.id} href={`#/requests/${encodeURIComponent(row.id)}`} isOpen={row.id === openId}>
          <span class="what">
            <span class="path">
              <b class="method">{row.method}</b> <code>{row.target.replace("/api/v1", "")}</code>
            </span>
            <span class="muted clip">
              <Time at={row.at} />
              {row.kind === "request" && ` · ${nameOf(row)}`}
            </span>
          </span>
          <span class="took">
            <Status status={row.status} code={row.code} isWork={row.kind === "work"} />
            <span class="muted">
              {durationOf(row.milliseconds)} <Bar length={row.milliseconds} whole={slowest} />
            </span>
          </span>
        </LinkRow>
      ))}
    </Rows>
  );
}

/** The words for the caller of a request; empty for work that no request led to. */
function nameOf({ user, kind }: RequestRow): string {
  if (user) return user.name || `user ${user.id}`;
  return kind === "request" ? "not signed in" : "";
}

function valuesOf(rows: readonly RequestRow[], read: (row: RequestRow) => string): string[] {
  return [...new Set(rows.map(read))].filter(Boolean).sort();
}

function matches(row: RequestRow, { text, person, outcome, operation }: typeof everything): boolean {
  const { method, target, status, code, user, functionName, id } = row;
  if (person !== "" && person !== nameOf(row)) return false;
  if (operation !== "" && operation !== functionName) return false;
  if (outcomes[outcome]?.(status) === false) return false;
  return hasWords(text, method, target, status, code, nameOf(row), user?.login, functionName, id);
}

import { useState } from "preact/hooks";
import { durationOf, latestChange, type RequestRow, type StartView } from "../views.ts";
import { Action, Bar, Head, hasWords, LinkRow, Read, Rows, Search, Split, Status, Time } from "./parts.tsx";
import { callAs, useLive } from "./server.ts";
import { Story } from "./story.tsx";

const outcomes: Readonly<Record<string, (status: number) => boolean>> = {
  succeeded: (status) => status < 400,
  refused: (status) => status >= 400 && status < 500,
  failed: (status) => status >= 500,
};
const everything = { text: "", person: "", outcome: "", operation: "" };

/** The most that failed are on top. */
const mostFailed = 3;

/** Every request as it comes in, and the story of the open one: without an id that of the newest change. */
export function Requests({ id }: { id: string | undefined }) {
  const [wanted, setWanted] = useState(everything);
  const want = (part: Partial<typeof everything>) => setWanted({ ...wanted, ...part });
  return (
    <Read<RequestRow[]> path="requests">
      {(rows) => {
        const latest = latestChange(rows);
        const openId = id ?? latest?.id;
        const found = rows.filter((row) => matches(row, wanted));
        const failed = found.filter(({ isBad }) => isBad).slice(0, mostFailed);
        const others = found.filter((row) => !failed.includes(row));
        const slowest = Math.max(...found.map(({ milliseconds }) => milliseconds));
        return (
          <>
            <Head
              title="Requests"
              about={
                <>
                  The newest 500.{" "}
                  <span class="keys">Keys: j and k move, Enter opens, / searches, c copies as curl.</span>
                </>
              }
            >
              {!latest && <FirstStep />}
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
                <>
                  {failed.length > 0 && (
                    <section class="failed" aria-label="Failed">
                      <h2>Failed</h2>
                      <RequestRows rows={failed} slowest={slowest} openId={openId} />
                    </section>
                  )}
                  {(others.length > 0 || failed.length === 0) && (
                    <RequestRows
                      rows={others}
                      slowest={slowest}
                      openId={openId}
                      hint={rows.length > 0 ? "None matches." : `Call ${location.origin}/api/v1/… and it appears here.`}
                    />
                  )}
                </>
              }
              detail={openId !== undefined && <Story key={openId} id={openId} />}
              hint="Pay some timesheets, and see what follows from it."
            />
          </>
        );
      }}
    </Read>
  );
}

/** Shows something to look at where nothing was changed yet. */
function FirstStep() {
  const operator = useLive<StartView>("start").value?.callers.find(({ role }) => role === "operator");
  if (!operator) return null;
  const title = "Marks the newest pending timesheets of the company as paid";
  const label = `Pay five timesheets as ${operator.name}`;
  return <Action primary label={label} done="Paid" act={() => payAs(operator.id)} title={title} />;
}

/** Marks up to five pending timesheets as paid, as an app would. */
async function payAs(id: number): Promise<void> {
  const place = "/api/v1/finance/timesheets";
  const list = await (await callAs(id, "GET", `${place}?by_state=pending&per_page=5`)).json();
  const timesheet_ids = (list.timesheets ?? []).map((each: { id: number }) => each.id);
  if (timesheet_ids.length === 0) throw new Error("None is pending");
  await callAs(id, "PATCH", `${place}/bulk_update`, { timesheet: { timesheet_ids, state: "paid" } });
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
  /** Milliseconds, which a whole bar stands for. */
  slowest: number;
  openId?: string | undefined;
  hint?: string;
}

function RequestRows({ rows, slowest, openId, hint }: RequestRowsProps) {
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
              {[nameOf(row), row.code].map((each) => each && ` · ${each}`)}
            </span>
          </span>
          <span class="took">
            <Status {...row} code={null} />
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
  if (user) return user.name;
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

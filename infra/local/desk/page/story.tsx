import type { LogLine } from "../../../runtime/log-lines.ts";
import { durationOf, plural, type RunView, type StoryRow, type StoryView } from "../views.ts";
import { curlOf, ownHeaders } from "./curl.ts";
import { Message } from "./inbox.tsx";
import { Action, Bar, Code, Copy, Facts, Fields, Fold, Read, Status, Time } from "./parts.tsx";
import { callAs, tokenOf } from "./server.ts";

/** The story of a request: a sentence, what followed, and what was sent and answered. */
export function Story({ id }: { id: string }) {
  return (
    <Read<StoryView> path={`story?id=${encodeURIComponent(id)}`}>
      {(story) => (
        <article class="pad stack" aria-label="Story of the request">
          <header class="stack">
            <Summary story={story} />
            {story.event && <Tools story={story} />}
          </header>
          <Layers story={story} />
          {story.event && story.answer && (
            <div class="columns">
              <Half title="Request" headers={ownHeaders(story.event.headers)} body={story.event.body ?? null} />
              <Half title="Answer" {...story.answer} />
            </div>
          )}
        </article>
      )}
    </Read>
  );
}

function Summary({ story: { row, title } }: { story: StoryView }) {
  return (
    <div>
      <h2>{title}</h2>
      <p class="muted break">
        <Status {...row} /> <b class="method">{row.method}</b> {row.kind === "request" && <code>{row.target}</code>} ·{" "}
        <Time at={row.at} />
      </p>
    </div>
  );
}

/** The parts of the service in the order in which a request goes through them. */
const layers = { request: "Request", table: "Table", worker: "Workers", message: "Messages" } as const;

/** The consequences of a request, by part of the service, on one scale of time. */
function Layers({ story: { row, rows } }: { story: StoryView }) {
  const whole = Math.max(...rows.map(({ at, milliseconds }) => at + milliseconds - row.at), 1);
  return (
    <section class="layers" aria-label="What followed">
      {Object.entries(layers).map(([layer, title]) => {
        const own = rows.filter((each) => each.layer === layer);
        return (
          own.length > 0 && (
            <section key={layer} class={layer}>
              <h3>{title}</h3>
              {own.map((each) => (
                <LayerRow key={keyOf(each)} row={each} since={row.at} whole={whole} />
              ))}
            </section>
          )
        );
      })}
      {rows.every(({ layer }) => layer !== "table") && (
        <p class="muted">No change of the table followed, none yet, or the desk has dropped it for newer ones.</p>
      )}
    </section>
  );
}

/** Stays the same while more comes to a row, so that an open row stays open. */
function keyOf({ title, changes: [change], runs: [run], messages: [message] }: StoryRow): string {
  return [change?.key, run?.functionName, message?.id].find((each) => each !== undefined) ?? title;
}

function LayerRow({ row, since, whole }: { row: StoryRow; since: number; whole: number }) {
  const { title, about, at, milliseconds, isBad, changes, runs, messages } = row;
  const head = (
    <>
      <span class="what">
        <strong class="break">{title}</strong> {about && <span class="muted break">{about}</span>}
      </span>
      <Bar from={at - since} length={milliseconds} whole={whole} look={isBad ? "bad" : ""} />
      <span class="muted after">+{durationOf(Math.max(0, at - since))}</span>
    </>
  );
  if (changes.length + runs.length + messages.length === 0) return <p class="beat">{head}</p>;
  return (
    <details open={isBad}>
      <summary class="beat">{head}</summary>
      <div class="stack inside">
        {changes.map(({ key, at: seen, entity, title: name, fields, isNamed }) => (
          <div key={`${key}${seen}`}>
            <strong class="break">{name}</strong>{" "}
            <span class="muted break">
              {entity}
              {!isNamed && ", seen meanwhile"} {name !== key && <code>{key}</code>}
            </span>
            <Fields fields={fields} />
          </div>
        ))}
        {runs.map((run, order) => (
          <Run key={order} run={run} />
        ))}
        {messages.map((message) => (
          <Message key={message.id} message={message} />
        ))}
      </div>
    </details>
  );
}

function Run({ run: { messages, lines, error } }: { run: RunView }) {
  return (
    <div>
      {messages.map(({ id, queue, attempt, body }) => (
        <Fold key={id} text={body} label={`Message of the queue ${queue}`}>
          Message of the queue {queue}
          {attempt > 1 && `, attempt ${attempt}`}
        </Fold>
      ))}
      {lines.map((line, at) => (
        <Line key={at} line={line} />
      ))}
      {error && <Code text={error} label="Stack" />}
    </div>
  );
}

/** A line of a log without what the whole story has in common. */
function Line({ line: { fields } }: { line: LogLine }) {
  const {
    level = "info",
    message,
    stack,
    timestamp,
    time,
    operation,
    build,
    request_id,
    request_ids,
    ...rest
  } = fields;
  const facts = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return (
    <div class={`line ${level}`}>
      <b>{String(level)}</b> {String(message ?? "")} <span class="muted">{facts.join(" ")}</span>
      {typeof stack === "string" && <Code text={stack} label="Stack" />}
    </div>
  );
}

function changeOf({ answer }: StoryView): string | undefined {
  return answer?.headers["change-id"];
}

/** Undoes the change of a request as the user who made it; nothing if there is none, or if it took a passcode. */
function Undo({ story }: { story: StoryView }) {
  const { user } = story.row;
  const change = changeOf(story);
  if (!change || !user || story.event?.body?.includes('"passcode"')) return null;
  const path = `/api/v1/changes/${change}/undo`;
  const undo = async () => {
    const { headers } = await callAs(user.id, "POST", path, { change: {} });
    location.hash = `#/requests/${headers.get("x-request-id") ?? ""}`;
  };
  return <Action label="Undo" done="Undone" act={undo} title={`POST ${path} as ${user.name}`} />;
}

function Tools({ story }: { story: StoryView }) {
  const { row, event, unsendable } = story;
  const change = changeOf(story);
  const { method, target, user } = row;
  const { headers = {}, body = null } = event ?? {};
  const url = location.origin + target;
  const sendAgain = async () => {
    const authorization = user && { authorization: `Bearer ${await tokenOf(user.id)}` };
    const response = await fetch(url, { method, headers: { ...ownHeaders(headers), ...authorization }, body });
    location.hash = `#/requests/${response.headers.get("x-request-id") ?? ""}`;
  };
  const curl = curlOf({ method, url, headers, body, login: user?.login ?? null });
  const given = {
    ...event,
    headers: { ...headers, ...("authorization" in headers && { authorization: "Bearer {{token}}" }) },
  };
  const invoked = `npm run invoke -- ${row.functionName}${user ? ` --as ${user.login}` : ""} --event FILE`;
  return (
    <>
      <p class="tools">
        <Undo story={story} />
        <Action
          label="Send again"
          done="Sent"
          act={sendAgain}
          disabled={unsendable !== null}
          title={unsendable ?? "Sends it as it was, as the same user"}
        />
        <Copy label="Copy as curl" text={curl} title={unsendable ?? ""} data-key="c" />
        <Copy
          label="Copy as invoke event"
          text={JSON.stringify(given, null, 2)}
          title={`Save it as a file: ${invoked}`}
        />
        {change && <Copy label="Copy change id" text={change} />}
      </p>
      <Facts isSmall of={[["Request", row.id], ...(change ? [["Change", change] as const] : [])]} />
    </>
  );
}

function Half({ title, headers, body }: { title: string; headers: Record<string, string>; body: string | null }) {
  return (
    <section>
      <h3>{title}</h3>
      {body === null ? <p class="muted">No body.</p> : <Code text={body} label={`${title}: body`} />}
      <details>
        <summary>{plural(Object.keys(headers).length, "header")}</summary>
        <Facts isSmall of={Object.entries(headers)} />
      </details>
    </section>
  );
}

import {
  durationOf,
  type LogView,
  layers,
  type QueueMessage,
  type RunView,
  type StoryRow,
  type StoryView,
} from "../views.ts";
import { curlOf, ownHeaders } from "./curl.ts";
import { Message } from "./inbox.tsx";
import { Action, Bar, Code, Copy, Fields, Loaded, Status, Time } from "./parts.tsx";
import { callAs, tokenOf, useLive } from "./server.ts";

/** The story of a request: a sentence, what followed, and what was sent and answered. */
export function Story({ id }: { id: string }) {
  const live = useLive<StoryView>(`requests/${encodeURIComponent(id)}`, 2);
  return (
    <Loaded live={live}>
      {(story) => (
        <article class="pad stack story" aria-label="Story of the request">
          <header class="stack">
            <Summary story={story} />
            {story.request && <Tools story={story} />}
          </header>
          <Layers story={story} />
          {story.request && story.answer && (
            <div class="columns">
              <Half
                title="Request"
                headers={Object.fromEntries(ownHeaders(story.request.headers))}
                body={story.request.body}
              />
              <Half title="Answer" {...story.answer} />
            </div>
          )}
        </article>
      )}
    </Loaded>
  );
}

export function Summary({ story: { row, title } }: { story: StoryView }) {
  return (
    <div>
      <h2>{title}</h2>
      <p class="muted break">
        <Status status={row.status} code={row.code} isWork={row.kind === "work"} /> <b class="method">{row.method}</b>{" "}
        {row.kind === "request" && <code>{row.target}</code>} · <Time at={row.at} />
      </p>
    </div>
  );
}

const layerTitles = { request: "Request", table: "Table", worker: "Workers", message: "Messages" } as const;

/** The consequences of a request, by part of the service, on one scale of time. */
export function Layers({ story: { row, rows, bookkeeping } }: { story: StoryView }) {
  const whole = Math.max(...[...rows, ...bookkeeping].map(({ at, milliseconds }) => at + milliseconds - row.at), 1);
  const place = { since: row.at, whole };
  const writes = bookkeeping.reduce((sum, { changes }) => sum + changes.length, 0);
  return (
    <section class="layers" aria-label="What followed">
      {layers.map((layer) => {
        const own = rows.filter((each) => each.layer === layer);
        return (
          own.length + (layer === "table" ? writes : 0) > 0 && (
            <section key={layer} class={layer}>
              <h3>{layerTitles[layer]}</h3>
              {own.map((each) => (
                <LayerRow key={keyOf(each)} row={each} {...place} />
              ))}
              {layer === "table" && writes > 0 && (
                <details class="bookkeeping">
                  <summary>
                    <span class="muted">
                      {writes} more {writes === 1 ? "write" : "writes"}: history, counts and the like
                    </span>
                  </summary>
                  {bookkeeping.map((each) => (
                    <LayerRow key={keyOf(each)} row={each} {...place} />
                  ))}
                </details>
              )}
            </section>
          )
        );
      })}
      {writes === 0 && rows.every(({ layer }) => layer !== "table") && (
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
        {changes.map(({ key, at: seen, title: name, fields }) => (
          <div key={`${key}${seen}`}>
            <strong class="break">{name}</strong>
            {name !== key && <code class="muted break"> {key}</code>}
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
      {messages.map((message) => (
        <Queued key={message.id} message={message} />
      ))}
      {lines.map((line, at) => (
        <div key={at} class={`line ${line.level}`}>
          <b>{line.level}</b> {line.text} <span class="muted">{factsOf(line)}</span>
          {line.stack && <Code text={line.stack} label="Stack" />}
        </div>
      ))}
      {error && <Code text={error} label="Stack" />}
    </div>
  );
}

/** The name of a queue as words, without the part that makes it unique among all stacks. */
export function queueTitle(name: string): string {
  const own = name.replace(/(Queue)?[0-9A-F]{8}$/, "").replace(/^.*_webhook_/, "Webhook ");
  return own.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function Queued({ message: { queue, attempt, body } }: { message: QueueMessage }) {
  const label = `Message of the queue ${queueTitle(queue)}`;
  return (
    <details>
      <summary>
        {label}
        {attempt > 1 && `, attempt ${attempt}`}
      </summary>
      <Code text={body} label={label} />
    </details>
  );
}

function factsOf({ fields }: LogView): string {
  const facts = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return facts.join(" ");
}

function changeOf({ answer }: StoryView): string | undefined {
  return answer?.headers["change-id"];
}

/** Undoes the change of a request as the user who made it; nothing if there is none. */
export function Undo({ story }: { story: StoryView }) {
  const { user } = story.row;
  const change = changeOf(story);
  if (!change || !user) return null;
  const path = `/api/v1/changes/${change}/undo`;
  const undo = async () => {
    const { headers } = await callAs(user.id, "POST", path, { change: {} });
    location.hash = `#/requests/${headers.get("x-request-id") ?? ""}`;
  };
  return <Action label="Undo" done="Undone" act={undo} title={`POST ${path} as ${user.name}`} />;
}

function Tools({ story }: { story: StoryView }) {
  const { row, request, event, unsendable } = story;
  const change = changeOf(story);
  const { method, target, user } = row;
  const headers = request?.headers ?? {};
  const body = request?.body ?? null;
  const url = location.origin + target;
  const sendAgain = async () => {
    const token = user && (await tokenOf(user.id));
    const sent = new Headers([
      ...ownHeaders(headers),
      ...(token ? [["authorization", `Bearer ${token}`] as [string, string]] : []),
    ]);
    const response = await fetch(url, { method, headers: sent, body });
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
        <Copy label="Copy as curl" text={curl} title={unsendable ?? ""} hotkey="c" />
        <Copy
          label="Copy as invoke event"
          text={JSON.stringify(given, null, 2)}
          title={`Save it as a file: ${invoked}`}
        />
        {change && <Copy label="Copy change id" text={change} />}
      </p>
      <dl class="facts small">
        <dt>Request</dt>
        <dd>{row.id}</dd>
        {change && <dt>Change</dt>}
        {change && <dd>{change}</dd>}
      </dl>
    </>
  );
}

function Half({ title, headers, body }: { title: string; headers: Record<string, string>; body: string | null }) {
  return (
    <section>
      <h3>{title}</h3>
      {body === null ? <p class="muted">No body.</p> : <Code text={body} label={`${title}: body`} />}
      <details>
        <summary>{Object.keys(headers).length} headers</summary>
        <dl class="facts small">
          {Object.entries(headers).map(([name, value]) => [
            <dt key={name}>{name}</dt>,
            <dd key={`${name}=`}>{value}</dd>,
          ])}
        </dl>
      </details>
    </section>
  );
}

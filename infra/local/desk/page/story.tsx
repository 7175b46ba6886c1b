import type { Step, StoryView } from "../views.ts";
import { curlOf, ownHeaders } from "./curl.ts";
import { Action, Code, Copy, Loaded, Status, Time } from "./parts.tsx";
import { tokenOf, useLive } from "./server.ts";
import { Lines, StepHead, StepView } from "./steps.tsx";

/** The story of a request as a line of steps. */
export function Story({ id }: { id: string }) {
  const live = useLive<StoryView>(`requests/${encodeURIComponent(id)}`, 2);
  return <Loaded live={live}>{(story) => <Whole story={story} />}</Loaded>;
}

function Whole({ story }: { story: StoryView }) {
  const { row, request, answer, steps, lines, error, mayLackChanges } = story;
  const count = (kind: Step["kind"]) => steps.filter((step) => step.kind === kind).length;
  return (
    <article class="pad stack story" aria-label="Story of the request">
      <header>
        <h2 class="break">
          <b class="method">{row.method}</b> <code>{row.target}</code>
        </h2>
        <p class="muted break">
          <Status status={row.status} code={row.code} isWork={row.kind === "work"} /> {row.functionName} ·{" "}
          {row.milliseconds.toFixed(0)} ms · <Time at={row.at} />
          {row.user && ` · ${row.user.name} (id ${row.user.id})`} · <code>{row.id}</code>
        </p>
        {request && <Tools story={story} />}
      </header>
      {request && answer && (
        <div class="columns">
          <Half title="Request" headers={Object.fromEntries(ownHeaders(request.headers))} body={request.body} />
          <Half title="Answer" headers={answer.headers} body={answer.body} />
        </div>
      )}
      <section>
        <h3>What followed</h3>
        <p class="muted">
          {count("run")} worker runs · {count("change")} table changes · {count("message")} messages
        </p>
        {mayLackChanges && (
          <p class="muted">
            Many changes have come since, such as those of an import, and the desk keeps the newest alone: changes of
            this request may be missing here. <i>Data</i> has the records.
          </p>
        )}
        <ol class="steps">
          {row.kind === "request" && (
            <li class={`step ${row.status >= 500 ? "bad" : "request"}`}>
              <StepHead name={row.functionName} about={`handler · ${row.milliseconds.toFixed(0)} ms`} after={0} />
              <Lines lines={lines} error={error} />
            </li>
          )}
          {steps.map((step, at) => (
            <StepView key={`${step.kind}${at}`} step={step} since={row.at} />
          ))}
        </ol>
        {steps.length === 0 && <p class="muted">Nothing followed from it, or nothing yet.</p>}
      </section>
    </article>
  );
}

function Tools({ story: { row, request, event, unsendable } }: { story: StoryView }) {
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
    <p class="tools">
      <Action
        label="Send again"
        done="Sent"
        act={sendAgain}
        disabled={unsendable !== null}
        title={unsendable ?? "Sends it as it was, as the same user"}
      />
      <Copy label="Copy as curl" text={curl} title={unsendable ?? ""} />
      <Copy
        label="Copy as invoke event"
        text={JSON.stringify(given, null, 2)}
        title={`Save it as a file: ${invoked}`}
      />
    </p>
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

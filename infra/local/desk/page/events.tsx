import { useState } from "preact/hooks";
import type { OutboundView, WebhookView } from "../views.ts";
import { Action, Card, Copy, Fold, Form, Head, Loaded, Rows, Time } from "./parts.tsx";
import { change, useLive } from "./server.ts";

interface Draft {
  type: string;
  source: string;
  detail: string;
}

const record = (fields: object): Draft => ({
  type: "Record",
  source: "rota.example",
  detail: JSON.stringify(fields, null, 2),
});

/** Each event as a system might send it. They change records of the demo data, or add one. */
const samples: Readonly<Record<string, (now: number) => Draft>> = {
  "A job is added": (now) =>
    record({
      event_id: `job-90007-${now}`,
      type: "job",
      id: 90007,
      version: now,
      company_id: 1,
      title: "Forklift driver",
      number: 4007,
      industries: ["logistics"],
      job_type: "part_time",
      postcode: "M1 2AB",
    }),
  "A chat message": (now) => ({
    ...record({
      event_id: `message-${now}`,
      recipients: [2, 5],
      actor_id: 4,
      record_type: "Chat",
      record_id: 88,
      params: { type: "message", room: "Night shift" },
    }),
    type: "Notification",
    source: "chat.example",
  }),
};

/** No event of the machine announces the result of a posting, so the list is read again after this time. */
const postedSeconds = 2;

/** A form for incoming events, the outgoing ones, and the address they are posted to. */
export function Events() {
  return (
    <>
      <Head title="Events" about="What other systems send, and what goes out to them." />
      <div class="pad columns halves">
        <Inbound />
        <div class="stack">
          <Webhook />
          <Outbound />
        </div>
      </div>
    </>
  );
}

function Webhook() {
  const live = useLive<WebhookView>("webhook");
  const [typed, setTyped] = useState<string>();
  const point = (url: string) => change("webhook", { url }).then(live.refresh);
  return (
    <Card title="Webhook of this computer">
      <Loaded live={live}>
        {({ url, secret }) => (
          <Form>
            <p class="muted">
              Each event that goes out is posted once, signed as on a stage. Without an address none is.
            </p>
            <label>
              Address
              <input
                type="url"
                placeholder="http://localhost:8080/events"
                value={typed ?? url}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            </label>
            <p class="tools">
              <Action label="Point it there" done="Saved" primary submits act={() => point(typed ?? url)} />
              <Copy label="Copy secret" text={secret} />
            </p>
          </Form>
        )}
      </Loaded>
    </Card>
  );
}

function Outbound() {
  const live = useLive<OutboundView[]>("outbound", postedSeconds);
  return (
    <Card title="What went out">
      <Loaded live={live}>
        {(events) => (
          <Rows none="Nothing yet" hint="Pay a timesheet, or send a job: other systems learn of it.">
            {events.map(({ key, event, posted }) => (
              <li key={key} class="item">
                <Fold text={JSON.stringify(event)} label={`Event ${event.id}`}>
                  {posted !== null && (
                    <span class={`chip end ${posted.startsWith("2") ? "good" : "bad"}`}>posted: {posted}</span>
                  )}
                  <strong>{event.type}</strong>{" "}
                  <span class="whole">
                    {event.subject} · <Time at={Date.parse(event.time)} />
                  </span>
                </Fold>
              </li>
            ))}
          </Rows>
        )}
      </Loaded>
    </Card>
  );
}

function Inbound() {
  const [draft, setDraft] = useState<Draft>(draftOf("A job is added"));
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  return (
    <Card title="Send an event">
      <Form>
        <p class="muted">It comes in on the bus as from another system. What follows from it is among the requests.</p>
        <label>
          Sample
          <select onChange={(event) => setDraft(draftOf(event.currentTarget.value))}>
            {Object.keys(samples).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <div class="columns">
          <label>
            Detail type
            <select value={draft.type} onChange={(event) => set({ type: event.currentTarget.value })}>
              <option>Record</option>
              <option>Notification</option>
            </select>
          </label>
          <label>
            Source
            <input value={draft.source} onInput={(event) => set({ source: event.currentTarget.value })} />
          </label>
        </div>
        <label>
          Detail
          <textarea
            rows={16}
            spellcheck={false}
            value={draft.detail}
            onInput={(event) => set({ detail: event.currentTarget.value })}
          />
        </label>
        <p class="tools">
          <Action label="Send" done="Sent" primary submits act={() => send(draft)} />
          <a href="#/requests">See what follows</a>
        </p>
      </Form>
    </Card>
  );
}

/** Sends an event by EventBridge's own interface, as the command line does. */
async function send({ type, source, detail }: Draft): Promise<void> {
  const entry = { EventBusName: "workforce-local", Source: source, DetailType: type, Detail: detail };
  const headers = { "x-amz-target": "AWSEvents.PutEvents", "content-type": "application/x-amz-json-1.1" };
  const response = await fetch("/_local/events", {
    method: "POST",
    headers,
    body: JSON.stringify({ Entries: [entry] }),
  });
  const answer = await response.json();
  const fault = answer.Entries?.[0]?.ErrorMessage ?? answer.message;
  if (fault) throw new Error(fault);
}

function draftOf(name: string): Draft {
  return samples[name]?.(Math.floor(Date.now() / 1000)) ?? record({});
}

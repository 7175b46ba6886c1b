import { useState } from "preact/hooks";
import type { OutboundView } from "../views.ts";
import { Action, Card, Fold, Form, Head, Read, Rows, Time } from "./parts.tsx";

/** Entries for EventBridge as a system might send them. They change records of the demo data, or add one. */
const samples: Readonly<Record<string, (now: number) => object>> = {
  "A job is added": (now) => ({
    Source: "rota.example",
    DetailType: "Record",
    Detail: {
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
    },
  }),
  "A chat message": (now) => ({
    Source: "chat.example",
    DetailType: "Notification",
    Detail: {
      event_id: `message-${now}`,
      recipients: [2, 5],
      actor_id: 4,
      record_type: "Chat",
      record_id: 88,
      params: { type: "message", room: "Night shift" },
    },
  }),
};

/** A form for incoming events, and the outgoing ones. */
export function Events() {
  return (
    <>
      <Head title="Events" about="What other systems send, and what goes out to them." />
      <div class="pad columns halves">
        <Inbound />
        <Outbound />
      </div>
    </>
  );
}

function Outbound() {
  return (
    <Card title="What went out">
      <Read<OutboundView[]> path="outbound">
        {(events) => (
          <Rows none="Nothing yet" hint="Pay a timesheet, or send a job: other systems learn of it.">
            {events.map(({ key, event }) => (
              <li key={key} class="item">
                <Fold text={JSON.stringify(event)} label={`Event ${event.id}`}>
                  <strong>{event.type}</strong>{" "}
                  <span class="whole">
                    {event.subject} · <Time at={Date.parse(event.time)} />
                  </span>
                </Fold>
              </li>
            ))}
          </Rows>
        )}
      </Read>
    </Card>
  );
}

function Inbound() {
  const [entry, setEntry] = useState(sampleOf("A job is added"));
  return (
    <Card title="Send an event">
      <Form>
        <p class="muted">It comes in on the bus as from another system. What follows from it is among the requests.</p>
        <label>
          Sample
          <select onChange={(event) => setEntry(sampleOf(event.currentTarget.value))}>
            {Object.keys(samples).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Event
          <textarea
            rows={20}
            spellcheck={false}
            value={entry}
            onInput={(event) => setEntry(event.currentTarget.value)}
          />
        </label>
        <p class="tools">
          <Action label="Send" done="Sent" primary type="submit" act={() => send(entry)} />
          <a href="#/requests">See what follows</a>
        </p>
      </Form>
    </Card>
  );
}

function sampleOf(name: string): string {
  return JSON.stringify(samples[name]?.(Math.floor(Date.now() / 1000)), null, 2);
}

/** Sends an event by EventBridge's own interface, as the command line does. */
async function send(text: string): Promise<void> {
  const { Detail, ...entry } = JSON.parse(text);
  const response = await fetch("/_local/events", {
    method: "POST",
    headers: { "x-amz-target": "AWSEvents.PutEvents", "content-type": "application/x-amz-json-1.1" },
    body: JSON.stringify({
      Entries: [{ ...entry, EventBusName: "workforce-local", Detail: JSON.stringify(Detail) }],
    }),
  });
  const answer = await response.json();
  const fault = answer.Entries?.[0]?.ErrorMessage ?? answer.message;
  if (fault) throw new Error(fault);
}

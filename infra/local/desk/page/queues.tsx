import { useRef } from "preact/hooks";
import { plural, type QueueView } from "../views.ts";
import { Action, Card, Code, Row, Time } from "./parts.tsx";
import { queueTitle } from "./run.tsx";
import { change } from "./server.ts";

/** The queues that hold messages; the empty ones folded. */
export function Queues({ queues, onDone }: { queues: readonly QueueView[]; onDone(): void }) {
  const pairs = queues
    .filter(({ deadLettersOf }) => deadLettersOf === null)
    .map((queue) => ({ queue, dead: queues.find(({ deadLettersOf }) => deadLettersOf === queue.name) }))
    .toSorted((one, other) => one.queue.name.localeCompare(other.queue.name));
  // A queue that becomes empty stays where it is, with what its button says.
  const busy = useRef(new Set<string>()).current;
  for (const { queue, dead } of pairs) {
    if (queue.waiting + queue.inWork + (dead?.waiting ?? 0) > 0) busy.add(queue.name);
  }
  const idle = pairs.filter(({ queue }) => !busy.has(queue.name));
  const rows = (shown: readonly Pair[]) => (
    <ul class="rows">
      {shown.map((pair) => (
        <Queue key={pair.queue.name} {...pair} onDone={onDone} />
      ))}
    </ul>
  );
  return (
    <Card title="Queues">
      {rows(pairs.filter(({ queue }) => busy.has(queue.name)))}
      <details>
        <summary class="foot">{plural(idle.length, "empty queue")}</summary>
        {rows(idle)}
      </details>
    </Card>
  );
}

interface Pair {
  queue: QueueView;
  dead: QueueView | undefined;
}

function Queue({ queue, dead, onDone }: Pair & { onDone(): void }) {
  const failed = queue.keepsFailed ? queue : dead;
  const redrive = async () => {
    const { count } = await change<{ count: number }>("redrive", { queue: dead?.name });
    onDone();
    return `${count} sent again`;
  };
  return (
    <Row
      name={queueTitle(queue.name)}
      about={queue.keepsFailed ? "keeps what no queue took" : `${queue.inWork} in work`}
    >
      {!queue.keepsFailed && <span class={`chip ${queue.waiting > 0 ? "warn" : ""}`}>{queue.waiting} waiting</span>}
      {failed && <span class={`chip ${failed.waiting > 0 ? "bad" : ""}`}>{failed.waiting} failed</span>}
      {dead && (
        <Action
          label="Redrive"
          disabled={dead.waiting === 0}
          title="Sends what failed to the queue again"
          act={redrive}
        />
      )}
      {failed?.messages.map(({ id, sentAt, body }) => (
        <details key={id} class="wide">
          <summary>
            <Time at={sentAt} /> <code>{id}</code>
          </summary>
          <Code text={body} label={`Message ${id}`} />
        </details>
      ))}
    </Row>
  );
}

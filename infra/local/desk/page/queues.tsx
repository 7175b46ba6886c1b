import type { QueueView } from "../views.ts";
import { Action, Code, Row, Time } from "./parts.tsx";
import { change } from "./server.ts";

/** Each queue with its failed messages, those of no queue last. */
export function Queues({ queues, onDone }: { queues: readonly QueueView[]; onDone(): void }) {
  const sorted = queues
    .filter(({ deadLettersOf }) => deadLettersOf === null)
    .toSorted(
      (one, other) => Number(one.keepsFailed) - Number(other.keepsFailed) || one.name.localeCompare(other.name),
    );
  return (
    <section class="card" aria-label="Queues">
      <h2>Queues</h2>
      <ul class="rows">
        {sorted.map((queue) => (
          <Queue
            key={queue.name}
            queue={queue}
            dead={queues.find(({ deadLettersOf }) => deadLettersOf === queue.name)}
            onDone={onDone}
          />
        ))}
      </ul>
    </section>
  );
}

/** The name without the part that makes it unique among all stacks. */
const titleOf = (name: string) => name.replace(/(Queue)?[0-9A-F]{8}$/, "").replace(/^.*_webhook_/, "Webhook ");

function Queue({ queue, dead, onDone }: { queue: QueueView; dead: QueueView | undefined; onDone(): void }) {
  const failed = queue.keepsFailed ? queue : dead;
  const redrive = async () => {
    const { count } = await change<{ count: number }>("redrive", { queue: dead?.name });
    onDone();
    return `${count} sent again`;
  };
  return (
    <Row name={titleOf(queue.name)} about={queue.keepsFailed ? "keeps what no queue took" : `${queue.inWork} in work`}>
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

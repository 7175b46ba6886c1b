import type { LogView, QueueMessage, RunView } from "../views.ts";
import { Code } from "./parts.tsx";

/** A call of a function: the messages that it was called with, its log lines and its error. */
export function Run({ run: { messages, lines, error } }: { run: RunView }) {
  return (
    <div>
      {messages.map((message) => (
        <Queued key={message.id} message={message} />
      ))}
      {lines.map((line, at) => (
        <div key={at} class={`line ${line.level}`}>
          <b>{line.level}</b> {line.text} <span class="muted">{factsOf(line)}</span>
          {line.stack && <Stack text={line.stack} />}
        </div>
      ))}
      {error && <Stack text={error} />}
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

function Stack({ text }: { text: string }) {
  return (
    <Code
      text={text.replaceAll(/(?:file:\/\/)?\/\S*?\/((functions|shared|infra|node_modules)\/)/g, "$1")}
      label="Stack"
    />
  );
}

function factsOf({ fields }: LogView): string {
  const facts = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return facts.join(" ");
}

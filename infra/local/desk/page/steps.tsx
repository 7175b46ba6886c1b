import type { FieldChange, LogView, QueueMessage, Step } from "../views.ts";
import { Message } from "./inbox.tsx";
import { Code } from "./parts.tsx";

/** One step of a story, with the time since the request. */
export function StepView({ step, since }: { step: Step; since: number }) {
  const after = step.at - since;
  if (step.kind === "message") {
    const { message } = step;
    return (
      <li class="step message">
        <StepHead
          name={message.channel === "email" ? "mail" : message.channel}
          about={`to ${message.person?.name ?? message.to}`}
          after={after}
        />
        <details>
          <summary>As it was received</summary>
          <Message message={message} />
        </details>
      </li>
    );
  }
  if (step.kind === "change") {
    return (
      <li class="step change">
        <StepHead
          name={step.entity}
          about={`${step.action}${step.isNamed ? "" : ", seen meanwhile"} · ${step.key}`}
          after={after}
        />
        <Fields fields={step.fields} />
      </li>
    );
  }
  return (
    <li class={`step ${step.error || step.lines.some(({ level }) => level === "error") ? "bad" : "run"}`}>
      <StepHead name={step.functionName} about={`worker · ${step.milliseconds.toFixed(0)} ms`} after={after} />
      {step.messages.map((message) => (
        <Queued key={message.id} message={message} />
      ))}
      <Lines lines={step.lines} error={step.error} />
    </li>
  );
}

/** The name of the actor or record, and the time. */
export function StepHead({ name, about, after }: { name: string; about: string; after: number }) {
  return (
    <p class="step-head">
      <strong>{name}</strong> <span class="muted break">{about}</span>
      <span class="after muted">+{Math.max(0, after).toFixed(0)} ms</span>
    </p>
  );
}

function Queued({ message: { queue, attempt, body } }: { message: QueueMessage }) {
  return (
    <details>
      <summary>
        message of {queue}
        {attempt > 1 && `, attempt ${attempt}`}
      </summary>
      <Code text={body} label={`Message of ${queue}`} />
    </details>
  );
}

/** A function's log lines, and its error. */
export function Lines({ lines, error }: { lines: readonly LogView[]; error: string | null }) {
  return (
    <>
      {lines.map((line, at) => (
        <div key={at} class={`line ${line.level}`}>
          <b>{line.level}</b> {line.text} <span class="muted">{factsOf(line)}</span>
          {line.stack && <Stack text={line.stack} />}
        </div>
      ))}
      {error && <Stack text={error} />}
    </>
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

/** Fields before and after a change, folded if there are many. */
export function Fields({ fields }: { fields: readonly FieldChange[] }) {
  return (
    <details open={fields.length <= 4}>
      <summary>{fields.length} fields</summary>
      <dl class="facts small">
        {fields.map(({ name, before, after }) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}=`}>
            {before !== null && <del>{before}</del>} {after !== null && <ins>{after}</ins>}
          </dd>,
        ])}
      </dl>
    </details>
  );
}

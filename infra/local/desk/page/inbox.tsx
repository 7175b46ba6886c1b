import { useState } from "preact/hooks";
import type { InboxView } from "../views.ts";
import { Copy, Empty, Head, hasWords, Loaded, Search, Split, Time } from "./parts.tsx";
import { useLive } from "./server.ts";

const channels = { email: "Mail", sms: "SMS", push: "Push" } as const;

/** The messages the service sent, as their recipients see them. */
export function Inbox({ id }: { id: string | undefined }) {
  const live = useLive<InboxView[]>("inbox");
  const [text, setText] = useState("");
  return (
    <>
      <Head title="Inbox" about="Mails, SMS and pushes that the service sent. None of them left this machine.">
        <Search label="Search by person or text" value={text} onInput={setText} />
      </Head>
      <Loaded live={live}>
        {(messages) => {
          const found = messages.filter((message) => matches(message, text));
          const open = messages.find((message) => message.id === id);
          const none =
            messages.length === 0
              ? "Request a pin, or pay the timesheet of somebody who has a device."
              : "No message contains that.";
          return (
            <Split
              openId={open?.id}
              back="#/inbox"
              list={
                found.length > 0 ? <Messages messages={found} openId={id} /> : <Empty title="No messages">{none}</Empty>
              }
              detail={
                open ? (
                  <Message message={open} />
                ) : (
                  <Empty title="Nothing is open">Choose a message to see it as it was received.</Empty>
                )
              }
            />
          );
        }}
      </Loaded>
    </>
  );
}

export function Messages({ messages, openId }: { messages: readonly InboxView[]; openId?: string | undefined }) {
  return (
    <ul class="rows">
      {messages.map((message) => (
        <li key={message.id}>
          <a class="row" href={`#/inbox/${message.id}`} aria-current={message.id === openId ? "true" : undefined}>
            <span class={`chip ${message.channel}`}>{channels[message.channel]}</span>
            <span class="what">
              <strong>{message.person?.name ?? message.to}</strong>
              <span class="muted clip">
                {message.channel === "push" ? message.text : (message.subject ?? message.text)}
              </span>
            </span>
            <span class="muted">
              <Time at={message.sentAt} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** One message as its device shows it, with its pin in large digits. */
export function Message({ message }: { message: InboxView }) {
  const { id, channel, to, person, pin, subject, hasHtml, sentAt } = message;
  return (
    <article class="pad stack" aria-label={`${channels[channel]} to ${person?.name ?? to}`}>
      {pin && (
        <div class="tools pin">
          <output aria-label="Pin">{pin}</output>
          <Copy label="Copy pin" text={pin} primary />
        </div>
      )}
      <dl class="facts">
        <dt>To</dt>
        <dd class="break">
          {person && <strong>{person.name} </strong>}
          <span class="muted">{to}</span>
        </dd>
        <dt>Sent</dt>
        <dd>
          <Time at={sentAt} isLong />
        </dd>
        {subject && channel === "email" && (
          <>
            <dt>Subject</dt>
            <dd>{subject}</dd>
          </>
        )}
      </dl>
      {channel === "email" && <Mail id={id} text={message.text} hasHtml={hasHtml} />}
      {channel === "sms" && <p class="bubble">{message.text}</p>}
      {channel === "push" && <Push message={message} />}
    </article>
  );
}

function Mail({ id, text, hasHtml }: { id: string; text: string; hasHtml: boolean }) {
  if (!hasHtml) return <p class="mail">{text}</p>;
  return <iframe class="mail" sandbox="" title="The mail as it looks" src={`/_local/desk/mail/${id}`} />;
}

function Push({ message: { subject, text, sentAt } }: { message: InboxView }) {
  return (
    <div class="phone">
      <div class="item notification">
        <img src="/_local/desk.svg" alt="" width="34" height="34" />
        <span class="what">
          <span class="muted">
            Workforce · <Time at={sentAt} />
          </span>
          <strong>{subject}</strong>
          <span>{text}</span>
        </span>
      </div>
    </div>
  );
}

function matches({ person, to, subject, text, channel }: InboxView, wanted: string): boolean {
  return hasWords(wanted, person?.name, to, subject, text, channels[channel]);
}

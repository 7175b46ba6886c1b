import { useState } from "preact/hooks";
import type { InboxView } from "../views.ts";
import { Code, Copy, Facts, Head, hasWords, LinkRow, Read, Rows, Search, Split, Time } from "./parts.tsx";

const channels = { email: "Mail", sms: "SMS", push: "Push", event: "Event" } as const;

/** The messages the service sent, as their recipients see them, and the events that went out to other systems. */
export function Inbox({ id }: { id: string | undefined }) {
  const [text, setText] = useState("");
  return (
    <>
      <Head title="Inbox" about="Mails, SMS, pushes and events that the service sent. None of them left this machine.">
        <Search label="Search by person, text, kind" value={text} onInput={setText} />
      </Head>
      <Read<InboxView[]> path="inbox">
        {(messages) => {
          const found = messages.filter(({ person, to, subject, text: body, channel }) =>
            hasWords(text, person?.name, to, subject, body, channels[channel]),
          );
          const open = messages.find((message) => message.id === id);
          const hint =
            messages.length === 0
              ? "Request a pin, or pay the timesheet of somebody who has a device."
              : "No message contains that.";
          return (
            <Split
              openId={open?.id}
              back="#/inbox"
              list={<Messages messages={found} openId={id} hint={hint} />}
              detail={open && <Message message={open} />}
              hint="Choose a message to see it as it was received."
            />
          );
        }}
      </Read>
    </>
  );
}

interface MessagesProps {
  messages: readonly InboxView[];
  openId: string | undefined;
  hint: string;
}

function Messages({ messages, openId, hint }: MessagesProps) {
  return (
    <Rows none="No messages" hint={hint}>
      {messages.map(({ id, channel, person, to, subject, text, at }) => (
        <LinkRow key={id} href={`#/inbox/${id}`} isOpen={id === openId}>
          <span class={`chip ${channel}`}>{channels[channel]}</span>
          <span class="what">
            <strong>{person?.name ?? to}</strong>
            <span class="muted clip">{channel === "push" ? text : (subject ?? text)}</span>
          </span>
          <span class="muted">
            <Time at={at} />
          </span>
        </LinkRow>
      ))}
    </Rows>
  );
}

/** One message as its device shows it, with its pin in large digits. */
export function Message({ message }: { message: InboxView }) {
  const { id, channel, to, person, pin, subject, text, hasHtml, at } = message;
  const recipient = (
    <>
      {person && <strong>{person.name} </strong>}
      <span class="muted">{to}</span>
    </>
  );
  return (
    <article class="pad stack" aria-label={`${channels[channel]} to ${person?.name ?? to}`}>
      {pin && (
        <div class="tools pin">
          <output aria-label="Pin">{pin}</output>
          <Copy label="Copy pin" text={pin} primary />
        </div>
      )}
      <Facts
        of={[
          [channel === "event" ? "Type" : "To", recipient],
          ["Sent", <Time key="sent" at={at} isLong />],
          ...(subject && channel !== "push" ? [["Subject", subject] as const] : []),
        ]}
      />
      {hasHtml && <iframe class="mail" sandbox="" title="The mail as it looks" src={`/_local/desk/mail/${id}`} />}
      {channel === "email" && !hasHtml && <p class="mail">{text}</p>}
      {channel === "sms" && <p class="bubble">{text}</p>}
      {channel === "push" && <Push message={message} />}
      {channel === "event" && <Code text={text} label="Event" />}
    </article>
  );
}

function Push({ message: { subject, text, at } }: { message: InboxView }) {
  return (
    <div class="phone">
      <div class="item notification">
        <img src="/_local/desk.svg" alt="" width="34" height="34" />
        <span class="what">
          <span class="muted">
            Workforce · <Time at={at} />
          </span>
          <strong>{subject}</strong>
          <span>{text}</span>
        </span>
      </div>
    </div>
  );
}

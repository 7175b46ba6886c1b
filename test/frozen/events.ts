import type { Answered, MarshalledItem } from "./release.ts";

/** A change as the table's stream delivers it. */
export function changeOf(
  { pk, sk }: { readonly pk: string; readonly sk: string },
  images: { readonly OldImage?: MarshalledItem | undefined; readonly NewImage?: MarshalledItem | undefined },
): object {
  const dynamodb = { Keys: { pk: { S: pk }, sk: { S: sk } }, SequenceNumber: "1", ...images };
  return { eventID: `event-${pk}-${sk}`, dynamodb };
}

/** Throws where an operation answers otherwise: what follows would not be what it is meant to be. */
export function requireStatus({ status, body }: Answered, expected: number): void {
  if (status !== expected) throw new Error(`Answered ${status}, not ${expected}: ${JSON.stringify(body)}`);
}

/** A batch of queue messages as a worker gets it. */
export function queueEvent(messages: readonly unknown[]): object {
  return { Records: messages.map((message, at) => ({ messageId: `message-${at}`, body: JSON.stringify(message) })) };
}

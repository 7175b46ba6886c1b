/** The parts of the stage's messages of a day: for the first and the further messages of a client, and for registrations (D11). */
export const messageShares = { first: 0.9, further: 0.6, ofRegistrations: 0.2, ofOneClient: 0.5 } as const;

/** So many messages of a client on a day are its first. A login has as many with a proof. */
export const firstMessages = 20;

/** A message that would count against the stage's ceiling. */
export interface CeilingMessage {
  readonly channel: "email" | "sms";
  /** Most messages of its channel in a day. */
  readonly perDay: number;
  /** The client that asked for it, by a keyed hash or as `user-<id>` for a notice; absent for a message with a proof. */
  readonly client: string | undefined;
  readonly registers: boolean;
}

/** The messages of a day: of the stage or of a client. */
export interface MessageCount {
  readonly n: number;
  readonly registrations: number;
}

/** The reason why a message is held back: its client's use of the day, or everybody's. */
export type HeldBackBy = "client" | "stage";

/**
 * The counts of a client at which its messages are held back, whatever is left of the stage's: of registrations alone. If there is
 * only one, a client may have it.
 */
export function mostOfClient({ perDay }: CeilingMessage): MessageCount {
  const registrations = Math.max(1, Math.floor(registrationsOf(perDay) * messageShares.ofOneClient));
  return { n: Number.MAX_SAFE_INTEGER, registrations };
}

/** The counts of the stage at which the message that is so many-th of its client is held back (D11). */
export function mostOfStage({ perDay, client }: CeilingMessage, nth: number): MessageCount {
  const { first, further } = messageShares;
  const share = nth <= firstMessages ? first : further;
  return { n: client === undefined ? perDay : Math.floor(perDay * share), registrations: registrationsOf(perDay) };
}

/** The reason why the stage's counts hold a message back. */
export function holderOf(nth: number): HeldBackBy {
  return nth <= firstMessages ? "stage" : "client";
}

/** Decides on a message by the counts of its client and the stage; undefined if it may be sent. */
export function heldBackBy(
  message: CeilingMessage,
  ofClient: MessageCount,
  ofStage: MessageCount,
): HeldBackBy | undefined {
  const nth = ofClient.n + 1;
  const isUsedUp = (count: MessageCount, most: MessageCount) =>
    count.n >= most.n || (message.registers && count.registrations >= most.registrations);
  if (isUsedUp(ofClient, mostOfClient(message))) return "client";
  return isUsedUp(ofStage, mostOfStage(message, nth)) ? holderOf(nth) : undefined;
}

function registrationsOf(perDay: number): number {
  return Math.floor(perDay * messageShares.ofRegistrations);
}

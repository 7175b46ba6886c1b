import { countsProof, maySend } from "../../../functions/workers/deliver-pin.ts";
import { askFor, isLivePin } from "../../../shared/people/ask-for-pin.ts";
import { tryOf } from "../../../shared/people/confirm.ts";
import { siteOf, windowOf } from "../../../shared/people/limits.ts";
import { type CeilingMessage, heldBackBy, type MessageCount } from "../../../shared/people/message-limits.ts";
import { type TriedPin, wrongPins } from "../../../shared/people/pins.ts";

/** A kind of messages, each with a ceiling of its own. */
export type Channel = CeilingMessage["channel"];

/** Most messages of a day. */
export type Ceilings = Readonly<Record<Channel, number>>;

/** A request for a pin: who asked, and how its message goes out. */
export interface PinAsk {
  readonly channel?: Channel;
  /** The address. */
  readonly from?: string;
  readonly isKnown?: boolean;
  readonly registers?: boolean;
}

/** The rules of guessing and sending without a table: what the service decides, at any moment. No try of a pin knows an address. */
export class GuessingSite {
  readonly #pins = new Map<string, TriedPin>();
  readonly #counts = new Map<string, MessageCount>();
  #requests = 0;
  messages = 0;
  readonly #ceilings: Ceilings;

  constructor(ceilings: Ceilings) {
    this.#ceilings = ceilings;
  }

  /** Asks for a pin of a user's login, or of a new one; `isSent` where its message goes out now. */
  ask(login: string, at: number, by: PinAsk = {}): { pin: TriedPin; isSent: boolean } {
    const { channel = "email", from = "192.0.2.1", isKnown = false, registers = false } = by;
    this.#requests += 1;
    const now = new Date(at);
    const { pin } = askFor(this.#pins.get(login), `${this.#requests}`, this.#wrongPins(at), now);
    const isProved = countsProof(pin, isKnown);
    const client = isProved ? undefined : siteOf(from);
    const message = { channel, perDay: this.#ceilings[channel], client, registers };
    const isSent = maySend(pin, now.toISOString()) && this.#send(message, at);
    const { sent, messages, proved } = pin;
    const counts = { sent: sent + 1, messages: messages + 1, proved: proved + Number(isProved) };
    const kept = isSent ? { ...pin, ...counts, sent_for: now.toISOString() } : pin;
    this.#pins.set(login, kept);
    return { pin: kept, isSent };
  }

  /** Tries a pin of a login: true where it is compared. A right one is spent. */
  tryPin(login: string, at: number, isRight = false): boolean {
    const pin = this.#pins.get(login);
    const now = new Date(at);
    const kind = pin ? tryOf(pin, { wrongPins: this.#wrongPins(at), client: "", now }) : "none";
    if (!pin || kind === "none") return false;
    const tried = kind === "counted" ? { ...pin, tries: pin.tries + 1 } : pin;
    if (kind === "counted" && !isRight) this.#add(wrongPinsAt(at));
    this.#pins.set(login, isRight ? { ...tried, spent_at: now.toISOString() } : tried);
    return true;
  }

  /** The live pin of a login. */
  pin(login: string, at: number): TriedPin | undefined {
    const pin = this.#pins.get(login);
    return pin && isLivePin(pin, this.#wrongPins(at), new Date(at)) ? pin : undefined;
  }

  #send(message: CeilingMessage, at: number): boolean {
    const { channel, client, registers } = message;
    const ofStage = `${channel} ${dayOf(at)}`;
    const ofClient = `${ofStage} ${client}`;
    const ofProof = { n: 0, registrations: 0 };
    if (heldBackBy(message, client === undefined ? ofProof : this.#count(ofClient), this.#count(ofStage))) return false;
    this.#add(ofStage, registers);
    if (client !== undefined) this.#add(ofClient, registers);
    this.messages += 1;
    return true;
  }

  #wrongPins(at: number): number {
    return this.#count(wrongPinsAt(at)).n;
  }

  #count(name: string): MessageCount {
    return this.#counts.get(name) ?? { n: 0, registrations: 0 };
  }

  #add(name: string, registers = false): void {
    const { n, registrations } = this.#count(name);
    this.#counts.set(name, { n: n + 1, registrations: registrations + Number(registers) });
  }
}

function dayOf(at: number): string {
  return windowOf(wrongPins, new Date(at)).start;
}

function wrongPinsAt(at: number): string {
  return `wrong ${dayOf(at)}`;
}

import {
  askFor,
  isLive,
  type PinMessage,
  shareOf,
  type TriedPin,
  tryOf,
} from "../../../shared/domain/guessing/pin-decisions.ts";
import { rules, windowOf } from "../../../shared/domain/guessing/rules.ts";

/** A kind of messages, each with a ceiling of its own. */
export type Channel = "email" | "sms";

/** Most messages of a day. */
export type Ceilings = Readonly<Record<Channel, number>>;

/** A request for a pin: who asked, and how its message goes out. */
export interface PinAsk {
  readonly channel?: Channel;
  readonly isKnown?: boolean;
}

/** The rules of guessing and sending without a table: what the service decides, at any moment. No decision on pins knows an address. */
export class GuessingSite {
  readonly #pins = new Map<string, TriedPin>();
  readonly #counts = new Map<string, number>();
  /** Messages that a worker has sent. */
  readonly #done = new Set<string>();
  #requests = 0;
  messages = 0;
  readonly #ceilings: Ceilings;

  constructor(ceilings: Ceilings) {
    this.#ceilings = ceilings;
  }

  /** Asks for a pin of a user's login; `isSent` where its message goes out now. */
  ask(
    login: string,
    at: number,
    { channel = "email", isKnown = false }: PinAsk = {},
  ): { pin: TriedPin; isSent: boolean } {
    this.#requests += 1;
    const wrong = this.#count(wrongPinsAt(at));
    const { pin, isQueued } = askFor(this.#pins.get(login), `${this.#requests}`, wrong, new Date(at));
    this.#pins.set(login, pin);
    const message = `${pin.request_id} ${pin.sent}`;
    if (!(isQueued || isKnown) || this.#done.has(message)) return { pin, isSent: false };
    const isSent = this.#send(channel, { nth: pin.messages, isKnown, registers: false }, at);
    if (isSent) this.#done.add(message);
    return { pin, isSent };
  }

  /** Tries a pin of a login: true where it is compared. A right one is spent. */
  tryPin(login: string, at: number, isRight = false): boolean {
    const pin = this.#pins.get(login);
    const now = new Date(at);
    const kind = pin ? tryOf(pin, { wrongPins: this.#count(wrongPinsAt(at)), client: "", now }) : "none";
    if (!pin || kind === "none") return false;
    const tried = kind === "counted" ? { ...pin, tries: pin.tries + 1 } : pin;
    if (kind === "counted" && !isRight) this.#add(wrongPinsAt(at));
    this.#pins.set(login, isRight ? { ...tried, spent_at: now.toISOString() } : tried);
    return true;
  }

  /** The live pin of a login. */
  pin(login: string, at: number): TriedPin | undefined {
    const pin = this.#pins.get(login);
    return pin && isLive(pin, this.#count(wrongPinsAt(at)), new Date(at)) ? pin : undefined;
  }

  #send(channel: Channel, message: PinMessage, at: number): boolean {
    const ofDay = `${channel} ${windowOf({ subjectKind: "stage", most: 0, window: "day" }, new Date(at)).start}`;
    if (this.#count(ofDay) >= Math.floor(this.#ceilings[channel] * shareOf(message))) return false;
    this.#add(ofDay);
    this.messages += 1;
    return true;
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #add(name: string): void {
    this.#counts.set(name, this.#count(name) + 1);
  }
}

function wrongPinsAt(at: number): string {
  return `wrong ${windowOf(rules.wrongPins, new Date(at)).start}`;
}

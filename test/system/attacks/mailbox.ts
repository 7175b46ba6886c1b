import type { TriedPin } from "../../../shared/people/pins.ts";
import { pinRules } from "../../../shared/people/pins.ts";
import type { GuessingSite, PinAsk } from "./guessing-site.ts";

const second = 1_000;
const minute = 60 * second;
/** A message takes so long to arrive, and its pin so long to be typed. */
const [arrival, typing] = [20 * second, 30 * second];
/** An owner who has not got in by then gives up. */
const patience = 360 * minute;

/** The time for which an owner was kept out, and the number of messages lost on the way: of the pin that was live before, too. */
export interface Wait {
  readonly ms: number;
  readonly lost: number;
}

/** The mailbox of a login's owner, to which strangers have messages sent as well. */
export class Mailbox {
  readonly #arrivals = new Map<string, number>();
  /** When messages were lost. */
  readonly #losses: number[] = [];
  readonly #site: GuessingSite;
  readonly #login: string;
  readonly #isLost: () => boolean;

  constructor(site: GuessingSite, login: string, isLost = () => false) {
    this.#site = site;
    this.#login = login;
    this.#isLost = isLost;
  }

  ask(at: number, by: PinAsk = {}): TriedPin {
    const { pin, isSent } = this.#site.ask(this.#login, at, by);
    if (isSent && this.#isLost()) this.#losses.push(at);
    else if (isSent && !this.#arrivals.has(pin.request_id)) this.#arrivals.set(pin.request_id, at + arrival);
    return pin;
  }

  /**
   * The owner asks, types the pin once it has arrived, and asks again after each minute without a message and whenever the pin
   * was refused. `onSecond` is what others do meanwhile; `isLast` in the second before the pin is sent.
   */
  wait(from: number, onSecond: (at: number, isLast: boolean) => void, by: PinAsk = {}): Wait {
    let [pin, askedAt, typedAt] = [this.ask(from, by), from, 0];
    for (let at = from; at < from + patience; at += second) {
      onSecond(at, typedAt > 0 && typedAt - at < second);
      if (typedAt === 0 && (this.#arrivals.get(pin.request_id) ?? at + 1) <= at) typedAt = at + typing;
      const isTyped = typedAt > 0 && at >= typedAt;
      const isOwn = isTyped && this.#site.pin(this.#login, at)?.request_id === pin.request_id;
      if (isOwn && this.#site.tryPin(this.#login, at, true)) return this.#waited(from, at);
      if (isTyped || (typedAt === 0 && at - askedAt >= minute)) [pin, askedAt, typedAt] = [this.ask(at, by), at, 0];
    }
    return this.#waited(from, Number.POSITIVE_INFINITY);
  }

  #waited(from: number, to: number): Wait {
    const since = from - pinRules.lifeMinutes * minute;
    return { ms: to - from, lost: this.#losses.filter((at) => at >= since).length };
  }
}

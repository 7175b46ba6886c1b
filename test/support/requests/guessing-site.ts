import {
  afterSuccess,
  type ClientGuesses,
  clientAdmittedAt,
  noClientGuesses,
  triesOfPin,
  withClientGuess,
} from "../../../shared/domain/guessing/client-guesses.ts";
import {
  afterRecovery,
  afterSignIn,
  type LoginGuesses,
  noLoginGuesses,
  passwordAdmittedAt,
  withPassword,
} from "../../../shared/domain/guessing/login-guesses.ts";
import { afterRightPin, askForPin, livePin, tryLivePin } from "../../../shared/domain/guessing/pin-flow.ts";

/** Who acts: an address, and whether it proves an earlier session of the login. */
export interface Actor {
  readonly address: string;
  readonly isKnown?: boolean;
}

/** The rules of guessing without a table: what the service would decide, at any moment that a test likes. */
export class GuessingSite {
  readonly #logins = new Map<string, LoginGuesses>();
  readonly #clients = new Map<string, ClientGuesses>();

  /** True where a password is compared. */
  password(login: string, { address, isKnown = false }: Actor, now: number, isRight = false): boolean {
    const client = { by: address, isKnown };
    const guesses = this.#login(login);
    if (clientAdmittedAt(this.#client(address), login, now) > now) return false;
    if (passwordAdmittedAt(guesses, client, now) > now) return false;
    this.#clients.set(address, withClientGuess(this.#client(address), { at: now, on: login }));
    const counted = withPassword(guesses, client, now);
    this.#logins.set(login, isRight ? afterSignIn(counted, client, now) : counted);
    if (isRight) this.#clients.set(address, afterSuccess(this.#client(address), login));
    return true;
  }

  /** The digits of the pin that was sent, 0 where one was shared; undefined where the request waits. */
  ask(login: string, { address }: Actor, now: number): number | undefined {
    const guesses = this.#login(login);
    const tries = guesses.pin ? triesOfPin(this.#client(address), login, guesses.pin.asked_at) : 0;
    const answer = askForPin(guesses, { requestId: `${now}`, by: address, registers: false, tries }, now);
    if ("opensAt" in answer) return undefined;
    if ("shares" in answer) return 0;
    this.#logins.set(login, answer.next);
    return answer.sends.digits;
  }

  /** The digits of the pin that a try is compared with; undefined where it is not. */
  pin(login: string, { address, isKnown = false }: Actor, now: number, isRight = false): number | undefined {
    const guesses = this.#login(login);
    if (clientAdmittedAt(this.#client(address), login, now) > now) return undefined;
    const live = livePin(guesses, now);
    const tries = live ? triesOfPin(this.#client(address), login, live.asked_at) : 0;
    const guess = { at: now, on: login, ...(live && { pin: live.asked_at }) };
    this.#clients.set(address, withClientGuess(this.#client(address), guess));
    if (!live) return undefined;
    const { isCompared, next } = tryLivePin(guesses, live, { by: address, isKnown, tries }, now);
    const counted = next ?? guesses;
    const spent = isCompared && isRight;
    this.#logins.set(login, spent ? { ...counted, ...afterRightPin(live.asked_at) } : counted);
    return isCompared ? live.digits : undefined;
  }

  /** The owner has set a new password. */
  recover(login: string, { address, isKnown = false }: Actor, now: number): void {
    this.#logins.set(login, afterRecovery({ by: address, isKnown }, now));
  }

  #login(login: string): LoginGuesses {
    return this.#logins.get(login) ?? noLoginGuesses;
  }

  #client(address: string): ClientGuesses {
    return this.#clients.get(address) ?? noClientGuesses;
  }
}

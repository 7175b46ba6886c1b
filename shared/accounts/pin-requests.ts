import type { Guesser } from "../db/accounts/guesses.ts";
import { type AskedFor, askForPin, withdrawPin } from "../db/accounts/pin-requests.ts";
import { emptyRegistration } from "../db/accounts/pins.ts";
import type { Login } from "../domain/accounts/login.ts";
import { queuePinRequest } from "../messaging/pin-queue.ts";
import { guesserOf, pinRequestsOf } from "./throttles.ts";

/** A request for a pin as it came in. */
export interface IncomingRequest {
  readonly login: Login;
  readonly address: string;
  readonly requestId: string;
  readonly registers: boolean;
}

/** A request that was counted. */
export interface CountedRequest {
  /** The end of the life of its pin: the same for known and unknown logins. */
  readonly validTo: Date;
  /** Queues the pin, unless it is one that was queued within the last minute. */
  send(): Promise<void>;
}

/** Counts a request for a pin; refuses it as `too_many_requests` above the limits, for known and unknown logins alike (D9–D12). */
export async function countPinRequest(incoming: IncomingRequest, now: Date): Promise<CountedRequest> {
  const { login, address, registers } = incoming;
  const guesser = await guesserOf(login.value, { address, isKnown: false });
  const asked = await askForPin(guesser, { registers, throttled: await pinRequestsOf(address, { registers }) }, now);
  const send = async () => {
    // What could not be queued was not asked for: who asks again shares no pin that is not on its way.
    if (asked.isSent) await queue(incoming, asked, now).catch((error) => withdraw(guesser, now, error));
  };
  return { validTo: asked.validTo, send };
}

function queue({ login, requestId, registers }: IncomingRequest, asked: AskedFor, now: Date): Promise<void> {
  const { value, former, channel } = login;
  const { validTo, digits } = asked;
  const request = { login: value, former, channel, requestId, requestedAt: now, validTo, digits };
  return queuePinRequest({ ...request, ...(registers && { registration: emptyRegistration }) });
}

async function withdraw(guesser: Guesser, askedAt: Date, error: unknown): Promise<never> {
  await withdrawPin(guesser, askedAt);
  throw error;
}

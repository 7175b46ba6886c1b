import type { Guesser } from "../db/accounts/guesses.ts";
import { type AskedFor, askForPin, withdrawPin } from "../db/accounts/pin-requests.ts";
import type { Login } from "../domain/accounts/login.ts";
import { Refusal } from "../domain/refusal.ts";
import { queuePinRequest } from "../messaging/pin-queue.ts";
import { guesserOf, pinRequestsOf } from "./requester.ts";

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
  const { login, address, registers, requestId } = incoming;
  const guesser = await guesserOf(login.value, { address, isKnown: false });
  const throttled = await pinRequestsOf(address, { registers });
  const asked = await askForPin(guesser, { registers, requestId, throttled }, now).catch((error) =>
    withdraw(guesser, requestId, now, error),
  );
  const send = async () => {
    if (!asked.isSent) return;
    await queue(login, asked).catch((error) => withdraw(guesser, asked.requestId, now, error));
  };
  return { validTo: asked.validTo, send };
}

function queue({ value, channel }: Login, asked: AskedFor): Promise<void> {
  const { requestId, registers, askedAt: requestedAt, validTo, digits } = asked;
  return queuePinRequest({ login: value, channel, requestId, requestedAt, validTo, digits, registers });
}

/** Nobody shares a pin that is not on its way: who asks again has the same one queued. What is refused as `busy` may be stored. */
async function withdraw(guesser: Guesser, requestId: string, now: Date, error: unknown): Promise<never> {
  const mayBeStored = !(error instanceof Refusal) || error.code !== "too_many_requests";
  if (mayBeStored) await withdrawPin(guesser, requestId, now);
  throw error;
}

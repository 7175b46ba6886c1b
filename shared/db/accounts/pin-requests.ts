import { triesOfPin } from "../../domain/guessing/client-guesses.ts";
import type { AskedPin, LoginGuesses } from "../../domain/guessing/login-guesses.ts";
import { afterFailedRequest, askForPin as decide } from "../../domain/guessing/pin-flow.ts";
import { paces, retry } from "../table/retry.ts";
import { transact } from "../table/transaction.ts";
import { changeLoginGuesses, findGuesses, type Guesser, replaceLoginGuesses } from "./guesses.ts";
import { planAttempt, type Throttled, tooManyRequests } from "./throttles.ts";

/** The pin that a request for one leads to: a new one that is to be sent, or the one that was just asked for. */
export interface AskedFor {
  readonly isSent: boolean;
  /** The request that the pin is made from, and whether that one registers: an earlier one where it may not have been queued. */
  readonly requestId: string;
  readonly registers: boolean;
  readonly askedAt: Date;
  readonly validTo: Date;
  readonly digits: number;
}

/**
 * Access pattern G6: counts a request for a pin, for the login and for its client, unless it shares the pin of a request
 * within the last minute. Refused as `too_many_requests` above the limits, and counted for none then (D11). 1.5 read units
 * and four write units, two round trips.
 */
export async function askForPin(
  guesser: Guesser,
  { throttled, ...request }: Pick<AskedFor, "requestId" | "registers"> & { readonly throttled: readonly Throttled[] },
  now: Date,
): Promise<AskedFor> {
  return retry(paces.crowd, async (count) => {
    const consistent = count > 0;
    const { login, client } = await findGuesses(guesser, { consistent });
    const tries = login.value.pin ? triesOfPin(client.value, guesser.on, login.value.pin.asked_at) : 0;
    const answer = decide(login.value, { by: guesser.by, ...request, tries }, now.getTime());
    if ("shares" in answer) return consistent ? askedFor(answer.shares, false) : undefined;
    if ("opensAt" in answer) throw tooManyRequests(answer.opensAt, now);
    const counted = await Promise.all(throttled.map((each) => planAttempt(each, now, { consistent })));
    const failed = await transact([...counted, replaceLoginGuesses(guesser.loginHash, login, answer.next, now)]);
    return failed.length === 0 ? askedFor(answer.sends, true) : undefined;
  });
}

/**
 * Access pattern G7: takes back a request of that moment, if it was stored, as it may not have been queued; who asks again
 * within a minute has it queued. One read unit, one write unit.
 */
export async function withdrawPin(guesser: Guesser, requestId: string, now: Date): Promise<void> {
  const { login } = await findGuesses(guesser, { consistent: true });
  const withdrawn = (guesses: LoginGuesses) => afterFailedRequest(guesses, now.getTime(), guesser.by, requestId);
  await changeLoginGuesses(guesser.loginHash, login, withdrawn, now);
}

function askedFor({ request_id, registers, asked_at, valid_to, digits }: AskedPin, isSent: boolean): AskedFor {
  return { isSent, requestId: request_id, registers, askedAt: new Date(asked_at), validTo: new Date(valid_to), digits };
}

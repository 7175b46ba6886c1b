import { triesOfPin } from "../../domain/accounts/client-guesses.ts";
import { askForPin as decide } from "../../domain/accounts/pin-flow.ts";
import { crowdPace, retryStaleReads } from "../table/conflicts.ts";
import { transact } from "../table/transaction.ts";
import { changeLoginGuesses, findGuesses, type Guesser, replaceLoginGuesses } from "./guesses.ts";
import { planAttempt, type Throttled, tooManyRequests } from "./throttles.ts";

/** The pin that a request for one leads to: a new one that is to be sent, or the one that was just asked for. */
export interface AskedFor {
  readonly isSent: boolean;
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
  { registers, throttled }: { readonly registers: boolean; readonly throttled: readonly Throttled[] },
  now: Date,
): Promise<AskedFor> {
  return retryStaleReads(async (consistent) => {
    const { login, client } = await findGuesses(guesser, { consistent });
    const tries = login.value.pin ? triesOfPin(client.value, guesser.on, login.value.pin.asked_at) : 0;
    const answer = decide(login.value, { by: guesser.by, registers, tries }, now.getTime());
    if ("shares" in answer) return consistent ? askedFor(answer.shares, false) : undefined;
    if ("opensAt" in answer) throw tooManyRequests(answer.opensAt, now);
    const counted = await Promise.all(throttled.map((each) => planAttempt(each, now, { consistent })));
    const failed = await transact([...counted, replaceLoginGuesses(guesser.loginHash, login, answer.next, now)]);
    return failed.length === 0 ? askedFor(answer.sends, true) : undefined;
  }, crowdPace);
}

/** Access pattern G7: takes back a request that nothing was sent for. One read unit, one write unit. */
export async function withdrawPin(guesser: Guesser, askedAt: Date): Promise<void> {
  const { login } = await findGuesses(guesser, { consistent: true });
  const moment = askedAt.getTime();
  await changeLoginGuesses(
    guesser.loginHash,
    login,
    (guesses) => ({
      ...guesses,
      asked: guesses.asked.filter(({ at, by }) => at !== moment || by !== guesser.by),
      pin: guesses.pin?.asked_at === moment ? null : guesses.pin,
    }),
    askedAt,
  );
}

function askedFor({ valid_to, digits }: { valid_to: number; digits: number }, isSent: boolean): AskedFor {
  return { isSent, validTo: new Date(valid_to), digits };
}

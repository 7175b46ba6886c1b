import { AsyncLocalStorage } from "node:async_hooks";
import { watchCalls } from "../../support/faults/aws-calls.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";

/** Which side of an AWS call a crash falls on: nothing was asked for, or all was done and the answer is lost. */
export type CrashMoment = "before" | "after";

interface Life {
  readonly lastCall: number;
  readonly moment: CrashMoment;
  readonly underWay: Set<Promise<unknown>>;
  calls: number;
  isOver: boolean;
}

const lives = new AsyncLocalStorage<Life>();

/**
 * Runs a piece of work and kills it at its n-th AWS call, counted from 1 in the order in which they begin, whatever client
 * of whatever service makes them. From then on none of its calls reaches AWS; those that had begun are carried out. Gives
 * true when it was killed, whatever it made of that, and false when it came to its end in fewer calls; then what it throws
 * is thrown. Work outside, in the same process and at the same time, goes on unharmed.
 */
export async function crashAt(n: number, moment: CrashMoment, work: () => Promise<unknown>): Promise<boolean> {
  watch();
  const life: Life = { lastCall: n, moment, underWay: new Set(), calls: 0, isOver: false };
  const [outcome] = await Promise.allSettled([lives.run(life, work)]);
  while (life.underWay.size > 0) await Promise.allSettled(life.underWay);
  if (!life.isOver && outcome.status === "rejected") throw outcome.reason;
  return life.isOver;
}

/** The sides of calls on which work is killed: where one call follows the other, what is before one is what was after the other. */
export const moments = usualFreshOrFull<readonly CrashMoment[]>(["after"], ["after", "before"], ["after", "before"]);

let isWatching = false;

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  watchCalls((_, send) => {
    const life = lives.getStore();
    return life ? sendWithin(life, send) : send();
  });
}

async function sendWithin(life: Life, send: () => Promise<unknown>): Promise<unknown> {
  life.calls += 1;
  const isLast = life.calls === life.lastCall;
  if (isLast && life.moment === "before") life.isOver = true;
  if (life.isOver) throw crash();
  const answer = send();
  life.underWay.add(answer);
  const settled = () => void life.underWay.delete(answer);
  answer.then(settled, settled);
  await answer.catch((error: unknown) => {
    if (!isLast) throw error;
  });
  if (isLast) life.isOver = true;
  if (life.isOver) throw crash();
  return answer;
}

/** To the work it looks like a connection that broke. */
function crash(): Error {
  return Object.assign(new Error("The work was killed"), { code: "ECONNRESET" });
}

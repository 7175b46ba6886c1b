import { expect, onTestFinished, vi } from "vitest";
import { type Loss, losses, type Network } from "../../../support/faults/network.ts";
import type { TestAnswer } from "../../../support/requests/call.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { queueEvent } from "../../../support/workers/workers.ts";
import { type CrashMoment, crashAt, moments } from "../crash.ts";

/** One try, as a client or a queue makes it: true when it was answered well or processed. */
export type Attempt = () => Promise<boolean>;

/** One run under one loss: the attempt, which is repeated until it succeeds, and the check that follows. */
export interface Scenario {
  readonly attempt: Attempt;
  readonly check?: () => Promise<void>;
}

/** A function to run through the losses. */
export interface LossPlan {
  /** The guarantee that holds, whichever call was lost. */
  readonly holds: string;
  /** Sets up one run, with things of its own. */
  readonly prepare: () => Promise<Scenario>;
  /** When what failed is tried again; a client waits a moment. */
  readonly repeatMs?: number;
  /** An action that must have been among what was lost. */
  readonly loses?: string;
}

/** When a queue or the stream brings again what failed. */
export const redeliveryMs = 6 * 60_000;

const clientPauseMs = 2_000;
/** The calls that send a worker's messages. They are tried once: its queue repeats them. */
const sentOnce = [
  "SendEmail",
  "Publish",
  "SendMessage",
  "SendMessageBatch",
  "PutEvents",
  "CreatePlatformEndpoint",
  "SetEndpointAttributes",
  "DeleteEndpoint",
];

let lastId = 10_000;

/** An id that no run of this file has. */
export function newId(): number {
  lastId += 1;
  return lastId;
}

/** The losses that take no longer than the call itself. A slow answer takes all of a call's patience. */
const quickLosses = losses.filter((loss) => loss !== "slow");

/**
 * Loses each call of an attempt, the first, the second and so on, until an attempt has fewer. Each call is lost in one way,
 * beginning with another for each `turn`, and the first call of the first plan slowly, too; or each in every way. Where
 * `isKilled`, the process also ends at each of them.
 */
export async function loseEverywhere(network: Network, plan: LossPlan, turn: number, isKilled = false): Promise<void> {
  // The pauses by chance before retries take no time.
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
  const lost: (string | undefined)[] = [];
  for (let n = 1; !lost.includes(undefined); n += 1) {
    const sample = quickLosses[(n + turn) % quickLosses.length] ?? "dropped";
    const usual: readonly Loss[] = n === 1 && turn === 0 ? [sample, "slow"] : [sample];
    for (const loss of usualOrFull(usual, losses)) lost.push(await loseOne(network, plan, n, loss));
    if (isKilled) for (const moment of moments) await killAt(plan, n, moment);
  }
  if (plan.loses) expect(lost).toContain(plan.loses);
}

/** Loses one call; gives its action. Where nothing should fail, the short patience may have: then it is tried once more. */
async function loseOne(
  network: Network,
  plan: LossPlan,
  n: number,
  loss: Loss,
  isAgain = false,
): Promise<string | undefined> {
  const scenario = await plan.prepare();
  network.lose(n, loss);
  const isDone = await scenario.attempt().catch(() => false);
  const action = network.heal();
  const place = `call ${n}, ${action}, ${loss}`;
  const isRepeatedBySdk = loss === "interrupted" && !sentOnce.includes(action ?? "");
  if (!isDone && (action === undefined || isRepeatedBySdk)) {
    expect(isAgain, place).toBe(false);
    return loseOne(network, plan, n, loss, true);
  }
  await goOn(plan, scenario, isDone, place);
  return action;
}

/** Ends the process of an attempt at a call; what it said then is not heard. */
async function killAt(plan: LossPlan, n: number, moment: CrashMoment): Promise<void> {
  const scenario = await plan.prepare();
  // It leaves nothing behind.
  if (!scenario.check) return;
  let isDone = false;
  const wasKilled = await crashAt(n, moment, async () => {
    isDone = await scenario.attempt();
  });
  await goOn(plan, scenario, isDone && !wasKilled, `killed ${moment} call ${n}`);
}

/** Repeats an attempt until it is done, and checks what it has left behind. */
async function goOn(plan: LossPlan, scenario: Scenario, wasDone: boolean, place: string): Promise<void> {
  const { attempt, check } = scenario;
  let isDone = wasDone;
  for (let repetition = 0; !isDone && repetition < 2; repetition += 1) {
    vi.setSystemTime(Date.now() + (plan.repeatMs ?? clientPauseMs));
    isDone = await attempt();
  }
  expect(isDone, place).toBe(true);
  await check?.().catch((error: Error) => {
    throw new Error(`${place}: ${error.message}`, { cause: error });
  });
}

/** A request, which is well when it is answered 200; `take` is given that answer. */
export function request(send: () => Promise<TestAnswer>, take?: (answer: TestAnswer) => void): Attempt {
  return async () => {
    const answer = await send();
    if (answer.status === 200) take?.(answer);
    return answer.status === 200;
  };
}

/** A queue's messages, which are well when none goes back. */
export function messages(
  handler: (event: ReturnType<typeof queueEvent>) => Promise<{ batchItemFailures: unknown[] }>,
  ...all: object[]
): Attempt {
  return async () => (await handler(queueEvent(...all))).batchItemFailures.length === 0;
}

/** The address of a client, which stays the same when it repeats a request. */
export function addressOf(id: number): string {
  return [11, id >> 16, (id >> 8) & 255, id & 255].join(".");
}

import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { type AwsAnswer, type AwsAttempt, watchAttempts, watchCalls } from "./aws-calls.ts";

/** An answer of AWS, mostly an error, instead of doing what was asked. */
export interface Fault {
  readonly status: number;
  readonly body: object;
}

/**
 * The failure of a call: `interrupted` is carried out and its answer lost once, so that the SDK may repeat it; `dropped` is carried
 * out at each of its attempts and never answered; `slow` the same, with a connection that stays open beyond the call's
 * time; `refused` is carried out at none of them; nor is `throttled`, of which too much was asked.
 */
export type Loss = "interrupted" | "dropped" | "slow" | "refused" | "throttled";

/** The losses of a network or a service that fails. */
export const losses: readonly Loss[] = ["interrupted", "dropped", "slow", "refused"];

/** The network between a test file's AWS clients and AWS, on which calls fail, wait or are lost as a test asks. */
export interface Network {
  /** The number of attempts of each action since the last reset. */
  readonly calls: Map<string, number>;
  /** Answers the next `times` attempts of an action with a fault, once it has let some pass. */
  fail(action: string, fault: Fault, times: number, passing?: number): void;
  /** Holds back the next attempt of an action; it goes on when the returned function is called. */
  hold(action: string): () => void;
  /** Waits until the attempt that is to be held back has come. */
  held(action: string): Promise<void>;
  /** Forgets the counts and the faults. */
  reset(): void;
  /**
   * Has the n-th call from now on fail, counted from 1 over all services; attempts of the SDK are one call. `between` runs once the
   * first attempt was carried out, before its answer is lost.
   */
  lose(n: number, loss: Loss, between?: () => Promise<unknown>): void;
  /** Ends that; returns the action that was lost, or undefined if there were fewer calls. */
  heal(): string | undefined;
}

interface LossPlan {
  readonly n: number;
  readonly loss: Loss;
  readonly between: (() => Promise<unknown>) | undefined;
  /** The calls so far, by the id that the SDK gives all attempts of a call. */
  readonly calls: string[];
  lost: string | undefined;
  attempts: number;
}

type Send = Parameters<Parameters<typeof watchAttempts>[0]>[1];

/** Puts a network between the AWS clients of a test file and AWS. */
export function useNetwork(): Network {
  const calls = new Map<string, number>();
  const faults = new Map<string, { fault: Fault; times: number; passing: number }>();
  const holds = new Map<string, { readonly released: Promise<void>; come(): void }>();
  const arrivals = new Map<string, Promise<void>>();
  let plan: LossPlan | undefined;
  /** Accepts connections and says nothing. */
  const silent = createServer((socket) => void socket.on("error", () => socket.destroy()));

  const lossOf = ({ action, request }: AwsAttempt): Loss | undefined => {
    if (!plan) return undefined;
    const call = request.headers["amz-sdk-invocation-id"] ?? "";
    if (!plan.calls.includes(call)) plan.calls.push(call);
    if (plan.calls.indexOf(call) !== plan.n - 1) return undefined;
    plan.lost ??= action;
    plan.attempts += 1;
    return plan.loss === "interrupted" && plan.attempts > 1 ? undefined : plan.loss;
  };
  const faultOf = ({ action }: AwsAttempt): Fault | undefined => {
    const planned = faults.get(action);
    if (!planned) return undefined;
    if (planned.passing > 0) planned.passing -= 1;
    else if (planned.times > 0) {
      planned.times -= 1;
      return planned.fault;
    }
    return undefined;
  };
  const waitFor = async ({ action }: AwsAttempt) => {
    const held = holds.get(action);
    if (!held) return;
    holds.delete(action);
    held.come();
    await held.released;
  };
  const carry = async (attempt: AwsAttempt, send: Send): Promise<AwsAnswer> => {
    const { action, request } = attempt;
    calls.set(action, (calls.get(action) ?? 0) + 1);
    await waitFor(attempt);
    const loss = lossOf(attempt);
    const fault = loss === "throttled" ? throttleOf(attempt, plan?.n) : loss === "refused" ? refusal : faultOf(attempt);
    if (fault) return answerOf(fault);
    const answer = await send({ request });
    if (!loss) return answer;
    await plan?.between?.();
    // The time of the attempt begins again, and ends by the client's own limit.
    const { address: hostname, port } = silent.address() as AddressInfo;
    if (loss === "slow") return send({ request: { ...request, hostname, port } });
    throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET", name: "TimeoutError" });
  };

  beforeAll(async () => {
    watchCalls(async (_, send, retries) => {
      // Each call begins like that of a new environment: with all the retries that a client has.
      if (plan) (await retries()).recordSuccess({ getRetryCost: () => Number.POSITIVE_INFINITY });
      return send();
    });
    watchAttempts(carry);
    await new Promise<void>((ready) => silent.listen(0, "127.0.0.1", ready));
  });
  afterAll(() => void silent.close());
  return {
    calls,
    fail: (action, fault, times, passing = 0) => void faults.set(action, { fault, times, passing }),
    hold: (action) => {
      const [arrival, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holds.set(action, { released: release.promise, come: arrival.resolve });
      arrivals.set(action, arrival.promise);
      return release.resolve;
    },
    held: async (action) => arrivals.get(action),
    reset: () => {
      calls.clear();
      faults.clear();
    },
    lose: (n, loss, between) => {
      plan = { n, loss, between, calls: [], lost: undefined, attempts: 0 };
    },
    heal: () => {
      const lost = plan?.lost;
      plan = undefined;
      return lost;
    },
  };
}

const refusal: Fault = { status: 500, body: { __type: "InternalServerError", message: "no" } };

/** The words of DynamoDB for a throttle. */
const tableThrottles = ["ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"];
/** Those of other services, by action. */
const otherThrottles: Readonly<Record<string, string>> = {
  GetSecretValue: "ThrottlingException",
  SendMessage: "com.amazonaws.sqs#RequestThrottled",
  SendMessageBatch: "com.amazonaws.sqs#RequestThrottled",
};

function throttleOf({ action }: AwsAttempt, n = 0): Fault {
  const ofTable = tableThrottles[n % tableThrottles.length] ?? "ThrottlingException";
  return { status: 400, body: { __type: otherThrottles[action] ?? ofTable, message: "Rate exceeded" } };
}

function answerOf({ status, body }: Fault): AwsAnswer {
  const headers = { "content-type": "application/x-amz-json-1.0" };
  return { response: { statusCode: status, headers, body: Buffer.from(JSON.stringify(body)) } };
}

/** DynamoDB's answer to a transaction of so many items when the first of them stands against it. */
export function cancelled(
  code: "TransactionConflict" | "ThrottlingError" | "ConditionalCheckFailed",
  items: number,
): Fault {
  const reasons = Array.from({ length: items }, (_, index) => ({ Code: index === 0 ? code : "None" }));
  return {
    status: 400,
    body: {
      __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
      message: "Transaction cancelled",
      CancellationReasons: reasons,
    },
  };
}

import { TimeoutError } from "./errors.ts";

/** The time of a call. It ends with the call's timeout or its caller's signal. */
export interface Clock {
  readonly signal: AbortSignal;
  /** The whole time, in milliseconds. */
  readonly timeout: number;
  /** True if so many milliseconds are left. */
  has(milliseconds: number): boolean;
  /** The result of work. Rejects with the reason if the time ends first. */
  within<T>(work: Promise<T>): Promise<T>;
  sleep(milliseconds: number): Promise<void>;
  stop(): void;
}

/** Node.js and browsers fire a longer timer at once. */
const longestTimer = 2 ** 31 - 1;

/** Starts the time of a call. Avoids `AbortSignal.any` and `AbortSignal.timeout`, which React Native lacks. */
export function startClock(timeout: number, outer: AbortSignal | undefined): Clock {
  const controller = new AbortController();
  const { signal } = controller;
  const end = () => controller.abort();
  const endsAt = Date.now() + timeout;
  const timer = timeout > longestTimer ? undefined : setTimeout(end, timeout);
  outer?.addEventListener("abort", end);
  if (outer?.aborted) end();
  const reason = () => {
    if (!outer?.aborted) return new TimeoutError(`No answer within ${timeout} ms`);
    return outer.reason ?? Object.assign(new Error("The call was aborted"), { name: "AbortError" });
  };
  const within = <T>(work: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const fail = () => reject(reason());
      if (signal.aborted) fail();
      signal.addEventListener("abort", fail);
      work
        .then(resolve, (error) => reject(signal.aborted ? reason() : error))
        .finally(() => {
          signal.removeEventListener("abort", fail);
        });
    });
  return {
    signal,
    timeout,
    within,
    has: (milliseconds) => Date.now() + milliseconds < endsAt,
    sleep(milliseconds) {
      let pause: ReturnType<typeof setTimeout>;
      const slept = new Promise<void>((resolve) => {
        pause = setTimeout(resolve, milliseconds);
      });
      return within(slept).finally(() => clearTimeout(pause));
    },
    stop() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", end);
    },
  };
}

/**
 * Runs work concurrently, but work of one key in order. At most so many pieces run or wait. After a failure, nothing
 * more begins.
 */
export function createKeyedQueue(capacity: number) {
  const lastOf = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  let running = 0;
  let ended = Promise.withResolvers<void>();

  const run = async (key: string, work: () => Promise<void>) => {
    const before = lastOf.get(key);
    const { promise: turn, resolve: end } = Promise.withResolvers<void>();
    lastOf.set(key, turn);
    running += 1;
    await before;
    try {
      if (failures.length === 0) await work();
    } catch (error) {
      failures.push(error);
    }
    running -= 1;
    if (lastOf.get(key) === turn) lastOf.delete(key);
    end();
    ended.resolve();
    ended = Promise.withResolvers();
  };
  const settle = async () => {
    while (running > 0) await ended.promise;
  };
  const throwFailure = () => {
    if (failures.length > 0) throw failures[0];
  };
  return {
    /** Adds work and resolves when there is capacity for more. Throws the error of earlier work. */
    async add(key: string, work: () => Promise<void>): Promise<void> {
      void run(key, work);
      if (running >= capacity) await ended.promise;
      throwFailure();
    },
    /** Resolves when all work has ended, whether or not it failed. */
    settle,
    /** Like `settle`, but throws the first error. */
    async finish(): Promise<void> {
      await settle();
      throwFailure();
    },
  };
}

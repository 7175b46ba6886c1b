/**
 * Runs work concurrently, but work of one key in order. At most so many pieces run or wait. After a failure, nothing
 * more begins.
 */
export function createKeyedQueue(capacity: number) {
  const lastOf = new Map<string, Promise<void>>();
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let ended = Promise.withResolvers<void>();

  const begin = (key: string, work: () => Promise<void>) => {
    const before = lastOf.get(key) ?? Promise.resolve();
    const turn = before
      .then(() => (failures.length > 0 ? undefined : work()))
      .catch((error) => void failures.push(error))
      .then(() => {
        running.delete(turn);
        if (lastOf.get(key) === turn) lastOf.delete(key);
        ended.resolve();
        ended = Promise.withResolvers();
      });
    lastOf.set(key, turn);
    running.add(turn);
  };
  const settle = async () => void (await Promise.all(running));
  const throwFailure = () => {
    if (failures.length > 0) throw failures[0];
  };
  return {
    /** Adds work and resolves when there is capacity for more. Throws the error of earlier work. */
    async add(key: string, work: () => Promise<void>): Promise<void> {
      begin(key, work);
      if (running.size >= capacity) await ended.promise;
      throwFailure();
    },
    /** Resolves when all work has ended, whether or not it failed. */
    settle,
    /** Like `settle`, but throws the first error. */
    finish: () => settle().then(throwFailure),
  };
}

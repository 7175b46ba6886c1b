/**
 * Works on many things at once, those of one key in their order, with capacity for so many pieces of work, running or
 * waiting. After a failure nothing more is begun.
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
    /** Takes work on and resolves when there is capacity for more; throws what failed in earlier work. */
    async add(key: string, work: () => Promise<void>): Promise<void> {
      begin(key, work);
      if (running.size >= capacity) await ended.promise;
      throwFailure();
    },
    /** Resolves when all work has ended, well or not. */
    settle,
    /** Like `settle`, but throws what failed. */
    finish: () => settle().then(throwFailure),
  };
}

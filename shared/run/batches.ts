/** Cuts a list into parts of at most so many items. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Does work for each item, for at most so many at once. Rejects with the first error. */
export async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Runs pieces of work at once, but those of one key one after the other, in the order given. */
export function createTurns() {
  const lastOf = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (lastOf.get(key) ?? Promise.resolve()).then(work, work);
    lastOf.set(key, turn);
    return turn;
  };
}

/** Iterates over a source and reads one item ahead. Throws the source's errors. */
export async function* readAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  for (let next = source.next(); ; ) {
    const { done, value } = await next;
    if (done) return;
    next = source.next();
    // The next loop awaits and throws the error. If the caller stops before that, nobody does.
    next.catch(() => {});
    yield value;
  }
}

/** Reads the first item of a source, and iterates over it from there. Throws the source's errors. */
export async function begin<T>(source: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await source.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* source;
  })();
}

/** Reports outcomes in the order of the lines, in whatever order they end. */
export function createLineOrder<T>(report: (line: number, outcome: T) => void) {
  const begun = new Map<number, { readonly outcome: T } | undefined>();
  let [done, doneUpTo] = [0, 0];
  return {
    begin(line: number): void {
      begun.set(line, undefined);
    },
    end(line: number, outcome: T): void {
      done += 1;
      begun.set(line, { outcome });
      for (const [first, ended] of begun) {
        if (!ended) return;
        begun.delete(first);
        doneUpTo = first;
        report(first, ended.outcome);
      }
    },
    /** The number of lines done, also of those after one that is not. */
    done: () => done,
    /** The last line up to which all are done. */
    doneUpTo: () => doneUpTo,
  };
}

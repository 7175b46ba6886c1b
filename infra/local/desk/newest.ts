/** The newest items, oldest first. */
export interface Newest<T> {
  readonly list: readonly T[];
  add(item: T): void;
  /** True once older items had to go. */
  hasDropped(): boolean;
}

/** Keeps at most so many items, and at most so many characters of them as JSON. */
export function openNewest<T extends object>(count: number, characters: number): Newest<T> {
  const list: T[] = [];
  const lengths: number[] = [];
  let total = 0;
  let hasDropped = false;
  return {
    list,
    add(item) {
      const { length } = JSON.stringify(item);
      list.push(item);
      lengths.push(length);
      total += length;
      while (list.length > count || total > characters) {
        list.shift();
        total -= lengths.shift() ?? 0;
        hasDropped = true;
      }
    },
    hasDropped: () => hasDropped,
  };
}

/** A figure of a benchmark and its bar; without a bar it is only reported. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly atMost?: number;
}

/** Prints figures beside their bars; true when all keep within them. */
export function reportFigures(figures: readonly Figure[], say: (text: string) => void): boolean {
  for (const figure of figures) {
    const { name, value, unit, atMost } = figure;
    const bar = atMost === undefined ? "" : `at most ${atMost}`;
    const shown = `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
    say(`${name.padEnd(66)}${shown.padStart(14)}  ${bar}${keeps(figure) ? "" : "  MISSED"}`);
  }
  return figures.every(keeps);
}

/** True where a figure keeps to its bar; one that is not a number keeps to none. */
function keeps({ value, atMost = Number.POSITIVE_INFINITY }: Figure): boolean {
  return value <= atMost;
}

/** The middle one of some numbers; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.max(0, middle - 1)], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** The same things in random order, so that drift of the machine affects all alike. */
export function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map((each) => ({ each, order: Math.random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ each }) => each);
}

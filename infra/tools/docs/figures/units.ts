const msOf = { Ms: 1, Milliseconds: 1, Seconds: 1_000, Minutes: 60_000, Hours: 3_600_000, Days: 86_400_000 };
const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

const others = ["Bytes", "Kibibytes", "Letters", "Characters", "Digits", "Percent", "Dollars"];

/**
 * A number with the unit that one of the names ends in. A time is in the longest unit that leaves it whole: 14 d for
 * 1,209,600 seconds.
 */
export function withUnit(value: number, ...names: readonly string[]): string {
  const shown = (each: number) => each.toLocaleString("en", { maximumFractionDigits: 10 });
  const [counted] = names.flatMap((name) => /^([a-z]+)PerMs$/.exec(name)?.[1] ?? []);
  if (counted !== undefined) return `${shown(value)} ${counted} a millisecond`;
  const [ending] = names.flatMap((name) => endingOf(name) ?? []);
  if (ending === undefined) return shown(value);
  if (!Object.hasOwn(msOf, ending)) return `${shown(value)} ${ending.toLowerCase()}`;
  const milliseconds = value * msOf[ending as keyof typeof msOf];
  const [factor, unit] = units.find(([each]) => Number.isInteger(milliseconds / each)) ?? [1, "ms"];
  return `${shown(milliseconds / factor)} ${unit}`;
}

function endingOf(name: string): string | undefined {
  // Argon2's name for it.
  if (name === "memory") return "Kibibytes";
  const endings = [...Object.keys(msOf), ...others];
  return endings.find((each) => name === each.toLowerCase() || name.endsWith(each));
}

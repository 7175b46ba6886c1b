import { statSync } from "node:fs";

/** Returns a file that has changed since the stamps were taken, first of all one that changed while it was read. */
export type FindChanged = () => string | undefined;

/** The kernel's clock, which stamps files, lags behind the clock that programs read. */
const clockLagMilliseconds = 10;

/**
 * Stamps files that a program began to read at `readFrom` (milliseconds since 1970; 0 for files not read). If one
 * changed meanwhile, the stamps are outdated at once. Replacing a file counts as a change, as many editors do that.
 */
export function stampFiles(files: readonly string[], readFrom: number): FindChanged {
  const stamps = files.map((file) => ({ file, stamp: stampOf(file) }));
  const isTorn = ({ changed }: Stamp) => readFrom > 0 && changed >= readFrom - clockLagMilliseconds;
  const torn = stamps.find(({ stamp }) => stamp && isTorn(stamp));
  return () => (torn ?? stamps.find(({ file, stamp }) => stampOf(file)?.text !== stamp?.text))?.file;
}

interface Stamp {
  text: string;
  changed: number;
}

function stampOf(file: string): Stamp | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && { text: `${found.ino} ${found.size} ${found.ctimeMs}`, changed: found.ctimeMs };
}

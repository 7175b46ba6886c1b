import { statSync } from "node:fs";

/** What a set of files was at a moment. */
export interface FileStamps {
  /** Whether each of them is still the same, or still missing. */
  areCurrent(): boolean;
  /** A file that is not; where one changed while it was read, that one. */
  firstChanged(): string | undefined;
}

/** The kernel's clock, which stamps files, lags behind the one that programs read. */
const clockLagMilliseconds = 10;

/**
 * Stamps files that were read from a moment on (`readFrom`, milliseconds since 1970); one that changed meanwhile makes the
 * stamps outdated at once. Files that an editor replaces are noticed as those it writes to. 0 stamps them as they are.
 */
export function stampFiles(files: Iterable<string>, readFrom: number): FileStamps {
  const stamps = [...files].map((file) => ({ file, stamp: stampOf(file) }));
  const isTorn = ({ changed }: Stamp) => readFrom > 0 && changed >= readFrom - clockLagMilliseconds;
  const torn = stamps.find(({ stamp }) => stamp && isTorn(stamp));
  const firstChanged = () => (torn ?? stamps.find(({ file, stamp }) => stampOf(file)?.text !== stamp?.text))?.file;
  return { areCurrent: () => firstChanged() === undefined, firstChanged };
}

interface Stamp {
  text: string;
  changed: number;
}

function stampOf(file: string): Stamp | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && { text: `${found.ino} ${found.size} ${found.ctimeMs}`, changed: found.ctimeMs };
}

import { closeSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import type { RecordType } from "../../../shared/contract/records.ts";

/** A record, or the removal of one, that an export found. */
export interface Finding {
  readonly type: RecordType;
  readonly id: number;
  /** The user of a notification; 0 for every other type. */
  readonly userId: number;
  /** The lines of a record that is there. */
  readonly lines?: string;
  /** True if a record was removed, whether another one was made in its place or not. */
  readonly isRemoved?: boolean;
  /** The version in its tombstone. */
  readonly version?: number | undefined;
}

/** A finding whose lines are in the file. */
interface Kept extends Omit<Finding, "lines"> {
  readonly at?: number;
  readonly bytes?: number;
}

/** All that an export has found. */
export interface FoundLines {
  /** Adds a finding. */
  add(finding: Finding): void;
  /** The records of a type by id, then by user; only those of the given users, if any are given. */
  records(type: RecordType, users?: ReadonlySet<number>): Iterable<Finding>;
  close(): void;
}

/** Keeps lines in a file without a name: nobody else reads it, and nothing is left of it. Memory has their order alone. */
export function openFoundLines(path: string): FoundLines {
  rmSync(path, { force: true });
  const descriptor = openSync(path, "wx+", 0o600);
  rmSync(path);
  const found: Kept[] = [];
  let end = 0;
  let isClosed = false;
  const keep = (lines: string): Pick<Kept, "at" | "bytes"> => {
    const place = { at: end, bytes: Buffer.byteLength(lines) };
    writeFileSync(descriptor, lines);
    end += place.bytes;
    return place;
  };
  const linesAt = (at: number, bytes: number): string => {
    const lines = Buffer.alloc(bytes);
    readSync(descriptor, lines, 0, bytes, at);
    return lines.toString();
  };
  return {
    add({ lines, ...finding }) {
      // A segment may still be read after another has failed. The descriptor may be another file's by then.
      if (isClosed) throw new Error("The export has ended");
      found.push({ ...finding, ...(lines !== undefined && keep(lines)) });
    },
    *records(type, users) {
      const wanted = found.filter((each) => each.type === type && (users?.has(each.userId) ?? true));
      wanted.sort((one, other) => one.id - other.id || one.userId - other.userId);
      for (const { at, bytes = 0, ...finding } of wanted) {
        yield at === undefined ? finding : { ...finding, lines: linesAt(at, bytes) };
      }
    },
    close() {
      isClosed = true;
      closeSync(descriptor);
    },
  };
}

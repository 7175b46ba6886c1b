import { DatabaseSync } from "node:sqlite";
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

/** All that an export has found. */
export interface FoundLines {
  /** Adds a finding. Throws once the lines are closed. */
  add(finding: Finding): void;
  /** The records of a type by id, then by user; only those of the given users, if any are given. */
  records(type: RecordType, users?: ReadonlySet<number>): Iterable<Finding>;
  close(): void;
}

/** Keeps what is found. SQLite moves it to a temporary file as it grows, which nobody else can open, and nothing is left of it. */
export function openFoundLines(): FoundLines {
  const database = new DatabaseSync("");
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  database.exec("CREATE TABLE found (type TEXT, id INTEGER, user INTEGER, finding TEXT)");
  const insert = database.prepare("INSERT INTO found VALUES (?, ?, ?, ?)");
  const select = database.prepare("SELECT finding FROM found WHERE type = ? ORDER BY id, user");
  return {
    add(finding) {
      insert.run(finding.type, finding.id, finding.userId, JSON.stringify(finding));
    },
    *records(type, users) {
      for (const { finding } of select.iterate(type)) {
        const found: Finding = JSON.parse(String(finding));
        if (users?.has(found.userId) ?? true) yield found;
      }
    },
    close: () => database.close(),
  };
}

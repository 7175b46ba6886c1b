import { DatabaseSync } from "node:sqlite";
import type { RecordType } from "../../../shared/contract/records.ts";
import type { NamedRecord } from "./exported-lines.ts";

/** The lines of a record, or of its removal, that an export found. */
export interface FoundRecord extends NamedRecord {
  readonly lines: string;
}

/** All that an export has found. */
export interface FoundLines {
  /** Adds a finding. Throws once the lines are closed. */
  add(finding: FoundRecord): void;
  /** The lines of a type by id, then by user; only those of the given users, if any are given. */
  linesOf(type: RecordType, users?: ReadonlySet<number>): Iterable<string>;
  close(): void;
}

/** Keeps what is found. SQLite moves it to a temporary file as it grows, which nobody else can open, and nothing is left of it. */
export function openFoundLines(): FoundLines {
  const database = new DatabaseSync("");
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  database.exec("CREATE TABLE found (type TEXT, id INTEGER, user INTEGER, lines TEXT)");
  const insert = database.prepare("INSERT INTO found VALUES (?, ?, ?, ?)");
  return {
    add({ type, id, userId, lines }) {
      try {
        insert.run(type, id, userId, lines);
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR" ? unkept(error as Error) : error;
      }
    },
    *linesOf(type, users) {
      // Without it, SQLite would copy all lines to sort them.
      database.exec("CREATE INDEX IF NOT EXISTS by_id ON found (type, id, user)");
      const select = database.prepare("SELECT user, lines FROM found WHERE type = ? ORDER BY id, user");
      for (const { user, lines } of select.iterate(type)) if (users?.has(Number(user)) ?? true) yield String(lines);
    },
    close: () => database.close(),
  };
}

/** SQLite does not say where its file is, which is seldom where the export writes. */
function unkept(error: Error): Error {
  const advice = "free space in the temporary folder, or name another one in SQLITE_TMPDIR";
  return new Error(`The lines found so far cannot be kept (${error.message}): ${advice}.`, { cause: error });
}

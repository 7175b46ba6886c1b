import { chmodSync, closeSync, lstatSync, openSync, rmSync, type Stats } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { RecordType } from "../../../shared/contract/records.ts";
import { type PartKind, type PartRecord, partKinds, recordsOf } from "./part-records.ts";

/** What a page of the table gave, as the part keeps it. */
export interface PartEntry {
  readonly type: RecordType;
  readonly id: number;
  /** Of a notification its user; 0 of all others. */
  readonly userId: number;
  readonly kind: PartKind;
  /** Of a record its lines, none where it has not changed; of a tombstone the version of the removal, of a removal nothing. */
  readonly text: string;
}

/** A page of a segment: what it gave, the users of the company in it, and where the next one begins; undefined at its end. */
export interface PartPage {
  readonly segment: number;
  readonly next: object | undefined;
  readonly entries: readonly PartEntry[];
  readonly memberIds: readonly number[];
}

/** Why a part can be neither begun nor continued; the message says what to do. */
export class PartRefusedError extends Error {}

/** What an export has read so far, in a file that only this process writes to. */
export interface Part {
  /** When its first run began, in UTC. */
  readonly begunAt: string;
  readonly isResumed: boolean;
  /** Where a segment goes on: at its beginning without a key. */
  place(segment: number): { readonly isRead: boolean; readonly from: object | undefined };
  /** Keeps a page whole or not at all. */
  keep(page: PartPage): void;
  /** Keeps when all was read, unless it is kept already; gives that moment, in UTC. */
  endReading(now: Date): string;
  /** The number of texts kept so far. */
  count(): number;
  /** What is kept of a type, by id and then by user; of a company's users alone where `ofMembers`. */
  records(type: RecordType, ofMembers: boolean): Iterable<PartRecord>;
  /** From here on files of this export may be in place. */
  beginPublishing(): void;
  readonly isPublishing: boolean;
  /** Removes it, while nobody else can open it. */
  remove(): void;
  close(): void;
}

/** What a part is of: another run may go on with it where all of it is the same. */
export interface PartOptions {
  readonly path: string;
  /** The table and the selection. */
  readonly identity: object;
  readonly now: Date;
  /** Drops what an earlier run read. */
  readonly restarts: boolean;
}

const sqlite = { busy: 5, notADatabase: 26 };

const schema = `
  CREATE TABLE IF NOT EXISTS run (identity TEXT NOT NULL, begun_at TEXT NOT NULL, read_at TEXT, is_publishing INTEGER);
  CREATE TABLE IF NOT EXISTS places (segment INTEGER PRIMARY KEY, next TEXT);
  CREATE TABLE IF NOT EXISTS members (id INTEGER PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS texts (type TEXT, id INTEGER, user INTEGER, kind INTEGER, text TEXT);`;

/**
 * Opens the part of an export for this process alone, with a mode of 0600, and begins it or goes on with it. Throws
 * `PartRefusedError` while another process has it, and where it is of another table or selection.
 */
export function openPart(options: PartOptions): Part {
  const { path, identity, now, restarts } = options;
  const before = prepareFile(path);
  const database = lock(path);
  if (!database) {
    if (!restarts) throw new PartRefusedError(`${path} is no part of an export: --restart replaces it`);
    rmSync(path);
    return openPart(options);
  }
  try {
    // Whoever had it may have removed it meanwhile: the lock would be that of a file which nobody finds.
    if (lstatSync(path, { throwIfNoEntry: false })?.ino !== before.ino) throw inUse(path);
    if (restarts) drop(database);
    return begin(database, path, JSON.stringify(identity), now.toISOString());
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Makes the file unless it is there; whoever made it, only its owner may read it. */
function prepareFile(path: string): Stats {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) closeSync(openSync(path, "wx", 0o600));
  const file = lstatSync(path);
  if (!file.isFile() || file.uid !== process.getuid?.()) {
    throw new PartRefusedError(`${path} is no file of yours: remove it, or name another file with --out`);
  }
  chmodSync(path, 0o600);
  return file;
}

/** The file, which stays locked until it is closed or this process dies; undefined where it is no database. */
function lock(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; BEGIN EXCLUSIVE; COMMIT");
    return database;
  } catch (error) {
    database.close();
    const { errcode } = error as { errcode?: number };
    if (errcode === sqlite.notADatabase) return undefined;
    throw errcode === sqlite.busy ? inUse(path) : error;
  }
}

function inUse(path: string): PartRefusedError {
  return new PartRefusedError(`Another export writes to ${path}, or has just ended: wait for it, or name another file`);
}

function drop(database: DatabaseSync): void {
  const names = ["run", "places", "members", "texts"];
  database.exec(names.map((name) => `DROP TABLE IF EXISTS ${name};`).join(""));
}

function begin(database: DatabaseSync, path: string, identity: string, now: string): Part {
  database.exec(`BEGIN; ${schema} COMMIT`);
  const found = database.prepare("SELECT identity, begun_at, is_publishing FROM run").get();
  if (found && found.identity !== identity) {
    const other = "is of another table, place or selection";
    throw new PartRefusedError(`${path} ${other}: --restart begins again, --out names another file`);
  }
  if (!found) database.prepare("INSERT INTO run VALUES (?, ?, NULL, 0)").run(identity, now);
  const isPublishing = found?.is_publishing === 1;
  return {
    begunAt: String(found?.begun_at ?? now),
    isResumed: found !== undefined,
    isPublishing,
    ...over(database, path),
  };
}

function over(database: DatabaseSync, path: string): Omit<Part, "begunAt" | "isResumed" | "isPublishing"> {
  const place = database.prepare("SELECT next FROM places WHERE segment = ?");
  const setPlace = database.prepare("REPLACE INTO places VALUES (?, ?)");
  const addText = database.prepare("INSERT INTO texts VALUES (?, ?, ?, ?, ?)");
  const addMember = database.prepare("INSERT OR IGNORE INTO members VALUES (?)");
  const count = database.prepare("SELECT count(*) AS count FROM texts");
  return {
    place(segment) {
      const found = place.get(segment);
      const from: object | undefined = found?.next ? JSON.parse(String(found.next)) : undefined;
      return { isRead: found !== undefined && from === undefined, from };
    },
    keep({ segment, next, entries, memberIds }) {
      database.exec("BEGIN");
      for (const { type, id, userId, kind, text } of entries) addText.run(type, id, userId, partKinds[kind], text);
      for (const id of memberIds) addMember.run(id);
      setPlace.run(segment, next ? JSON.stringify(next) : null);
      database.exec("COMMIT");
    },
    endReading(now) {
      database.prepare("UPDATE run SET read_at = coalesce(read_at, ?)").run(now.toISOString());
      return String(database.prepare("SELECT read_at FROM run").get()?.read_at);
    },
    count: () => Number(count.get()?.count),
    records: (type, ofMembers) => recordsOf(database, type, ofMembers),
    beginPublishing: () => database.exec("UPDATE run SET is_publishing = 1"),
    remove() {
      for (const file of [`${path}-journal`, path]) rmSync(file, { force: true });
    },
    close: () => database.close(),
  };
}

import { hash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { entityOf } from "../../../shared/entities.ts";
import { deviceOwners } from "../../../shared/notifications/devices.ts";
import { logins } from "../../../shared/people/logins.ts";
import { users } from "../../../shared/people/users.ts";
import type { StreamRecord } from "../../../shared/table/entity.ts";
import type { Item, Key } from "../../../shared/table/table.ts";
import { recordKey } from "../../../shared/table/table.ts";
import type { ShownPerson } from "./views.ts";

/** The key and title of every item, and who users are: what the desk knows without reading the table. */
export interface ItemIndex {
  /** Takes changes in the stream's order. A repeated change changes nothing. */
  add(changes: readonly StreamRecord[]): void;
  counts(): Record<string, number>;
  /**
   * Items with every word, in the reverse order of their keys, ids as numbers: the newest records first, as the lists of the
   * interface have them.
   */
  find(kind: string, words: string, most: number): { key: Key; title: string }[];
  people(words: string, most: number): ShownPerson[];
  person(id: number): ShownPerson | undefined;
  /** The user that the item of a login or a device token names. */
  ownerOf(key: Key): ShownPerson | undefined;
  hasDevice(userId: number): boolean;
}

const tables = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS items (kind TEXT, place TEXT, title TEXT, words TEXT, owner INTEGER, person TEXT,
  PRIMARY KEY (kind, place)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counts (kind TEXT PRIMARY KEY, n INTEGER);
CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON items BEGIN
  INSERT INTO counts VALUES (new.kind, 1) ON CONFLICT DO UPDATE SET n = n + 1; END;
CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON items BEGIN UPDATE counts SET n = n - 1 WHERE kind = old.kind; END;
`;

/** The desk's own consumer of the table's stream, by which it sees changes. */
export const ownConsumer = "desk";

/** The index of a stream's table, beside the consumers' positions. A new one, also in place of a damaged one, reads the stream from its beginning. */
export function indexOf(streamArn: string, placesDirectory: string): ItemIndex {
  const file = join(placesDirectory, `${ownConsumer}-${hash("sha256", streamArn).slice(0, 16)}.sqlite`);
  mkdirSync(placesDirectory, { recursive: true });
  if (!isWhole(file)) {
    const old = [`${ownConsumer}.json`, ...["", "-wal", "-shm"].map((ending) => `${basename(file)}${ending}`)];
    for (const each of old) rmSync(join(placesDirectory, each), { force: true });
    writeFileSync(file, "", { mode: 0o600 });
  }
  return openItemIndex(file);
}

/** True for an index that SQLite can read from end to end. */
function isWhole(file: string): boolean {
  if (!existsSync(file)) return false;
  using database = new DatabaseSync(file);
  try {
    return database.prepare("PRAGMA quick_check(1)").get()?.quick_check === "ok";
  } catch {
    return false;
  }
}

/** Opens the index in a file; without one it is in memory. */
export function openItemIndex(file = ":memory:"): ItemIndex {
  const database = new DatabaseSync(file);
  database.exec(tables);
  const put = database.prepare(`INSERT INTO items VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    title = excluded.title, words = excluded.words, owner = excluded.owner, person = excluded.person`);
  const remove = database.prepare("DELETE FROM items WHERE kind = ? AND place = ?");
  const counts = database.prepare("SELECT kind, n FROM counts WHERE n > 0");
  const one = database.prepare("SELECT title, owner, person FROM items WHERE kind = ? AND place = ?");
  const device = database.prepare("SELECT 1 FROM items WHERE kind = 'device' AND place > ? AND place < ? LIMIT 1");

  const select = (kind: string, words: string, order: "ASC" | "DESC", most: number) => {
    const all = plain(words).split(" ").filter(Boolean);
    const having = all.map(() => " AND instr(lower(place) || ' ' || words, ?)").join("");
    const sql = `SELECT place, title, person FROM items WHERE kind = ?${having} ORDER BY place ${order} LIMIT ?`;
    return database.prepare(sql).all(kind, ...all, most);
  };
  const toPerson = (row: Record<string, unknown> | undefined): ShownPerson | undefined => {
    if (typeof row?.person !== "string") return undefined;
    const person = JSON.parse(row.person) as ShownPerson;
    const { companyId } = person;
    const company = companyId === null ? undefined : one.get("company", placeOf(recordKey("COMPANY", companyId)));
    return { ...person, company: companyId === null ? null : String(company?.title ?? `company ${companyId}`) };
  };
  const person = (id: number) => toPerson(one.get("user", placeOf(recordKey("USER", id))));
  return {
    add(changes) {
      database.exec("BEGIN");
      try {
        for (const { key, after } of changes) {
          const kind = kindOf(key);
          if (after) put.run(kind, placeOf(key), ...contentsOf(key, after));
          else remove.run(kind, placeOf(key));
        }
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    counts: () => Object.fromEntries(counts.all().map(({ kind, n }) => [kind, Number(n)])),
    find: (kind, words, most) =>
      select(kind, words, "DESC", most).map(({ place, title }) => ({
        key: keyAt(String(place)),
        title: String(title),
      })),
    people: (words, most) => select("user", words, "ASC", most).flatMap((row) => toPerson(row) ?? []),
    person,
    ownerOf(key) {
      const owner = one.get(kindOf(key), placeOf(key))?.owner;
      return typeof owner === "number" ? person(owner) : undefined;
    },
    hasDevice(userId) {
      const start = placeOf({ pk: `USER#${userId}`, sk: "" });
      return device.get(start, `${start}\uffff`) !== undefined;
    },
  };
}

export function kindOf(key: Key): string {
  return entityOf(key)?.name ?? "item";
}

/** A key as one text. Shorter partition keys come first, so that ids are in the order of numbers. */
function placeOf({ pk, sk }: Key): string {
  return `${String(pk.length).padStart(4, "0")}${pk} ${sk}`;
}

function keyAt(place: string): Key {
  const end = 4 + Number(place.slice(0, 4));
  return { pk: place.slice(4, end), sk: place.slice(end + 1) };
}

function contentsOf(key: Key, item: Item): (string | number | null)[] {
  const title = titleOf(item);
  const person = users.matches(key) ? personOf(item) : undefined;
  const isOwned = logins.matches(key) || deviceOwners.matches(key);
  const words = plain([title, ...(person?.logins ?? [])].join(" "));
  return [title, words, isOwned ? Number(item.user_id) : null, person ? JSON.stringify(person) : null];
}

function personOf(item: Item): Omit<ShownPerson, "company"> {
  const { id, role, company_id, record } = users.decode(item);
  const name = [record.first_name, record.last_name].filter(Boolean).join(" ");
  const logins = [record.email, record.phone_number].filter((login) => typeof login === "string");
  return { id, name, role, companyId: company_id, logins };
}

/** Text in lower case without accents, in which people search. */
function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** The fields that identify an item to a person. From each line, the first that the item has is shown. */
const parts: readonly (readonly string[])[] = [
  ["last_name", "name", "title", "record_type", "platform", "operation"],
  ["job_title", "number"],
  ["company_name"],
  ["date", "issued_date", "opened_at", "created_at", "published_at", "at"],
  ["state", "role", "did"],
];

/** The name, number, date and state of an item, as far as it has them; empty if it has none. */
export function titleOf({ record, ...own }: Item): string {
  const inner = record as { driver?: object } | undefined;
  const fields: Item = { ...own, ...inner?.driver, ...inner };
  const found = parts.flatMap((names) => names.find((name) => textOf(fields, name) !== "") ?? []);
  return found.map((name) => textOf(fields, name)).join(" · ");
}

function textOf(fields: Item, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" && typeof value !== "number") return "";
  if (name === "last_name") return [fields.first_name, value].filter(Boolean).join(" ");
  // Only the day of a time.
  return /(^|_)at$/.test(name) ? String(value).slice(0, 10) : String(value);
}

import { hash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { entityOf } from "../../../shared/entities.ts";
import { deviceOwners, devices } from "../../../shared/notifications/devices.ts";
import { logins } from "../../../shared/people/logins.ts";
import { users } from "../../../shared/people/users.ts";
import { companies } from "../../../shared/records/companies.ts";
import type { StreamRecord } from "../../../shared/table/entity.ts";
import { type Item, type Key, recordKey } from "../../../shared/table/table.ts";
import type { ShownPerson } from "./views.ts";

/** The users with their logins and devices, which the desk knows without reading the table. */
export interface ItemIndex {
  /** Takes changes in the stream's order. A repeated change changes nothing. */
  add(changes: readonly StreamRecord[]): void;
  /** Users with every word, by id. */
  people(words: string, most: number): ShownPerson[];
  countPeople(): number;
  person(id: number): ShownPerson | undefined;
  /** The user that the item of a login or a device token names. */
  ownerOf(key: Key): ShownPerson | undefined;
  hasDevice(userId: number): boolean;
}

/** `owner` is the user of a user's or a login's item, `words` what a user is found by, `shown` a user as JSON or a company's name. */
const tables = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS items (kind TEXT, name TEXT, owner INTEGER, words TEXT, shown TEXT, PRIMARY KEY (kind, name))
  WITHOUT ROWID;
`;

/** The desk's own consumer of the table's stream, by which it sees changes. */
const ownConsumer = "desk";

/** The index of a stream's table, beside the consumers' positions. A new one, also in place of a damaged one, reads the stream from its beginning. */
export function indexOf(streamArn: string, placesDirectory: string): ItemIndex {
  const file = join(placesDirectory, `people-${hash("sha256", streamArn).slice(0, 16)}.sqlite`);
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
  const put = database.prepare("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?)");
  const remove = database.prepare("DELETE FROM items WHERE kind = ? AND name = ?");
  const named = database.prepare("SELECT owner FROM items WHERE kind IN ('login', 'device owner') AND name = ?");
  const shown = database.prepare("SELECT shown FROM items WHERE kind = ? AND name = ?");
  const device = database.prepare("SELECT 1 FROM items WHERE kind = 'device' AND name > ? AND name < ? LIMIT 1");
  const count = database.prepare("SELECT count(*) AS n FROM items WHERE kind = 'user'");

  const toPerson = (text: unknown): ShownPerson => {
    const person = JSON.parse(String(text)) as ShownPerson;
    const { companyId } = person;
    const company = companyId === null ? undefined : shown.get("company", nameOf(recordKey("COMPANY", companyId)));
    return { ...person, company: companyId === null ? null : String(company?.shown ?? `company ${companyId}`) };
  };
  const person = (id: number) => {
    const row = shown.get("user", nameOf(recordKey("USER", id)));
    return row && toPerson(row.shown);
  };
  return {
    add(changes) {
      database.exec("BEGIN");
      try {
        for (const { key, after } of changes) {
          const kind = kindOf(key);
          const own = after && contentsOf(key, after);
          if (own) put.run(kind, nameOf(key), ...own);
          else remove.run(kind, nameOf(key));
        }
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    people(words, most) {
      const all = plain(words).split(" ").filter(Boolean);
      const having = all.map(() => " AND instr(words, ?)").join("");
      const sql = `SELECT shown FROM items WHERE kind = 'user'${having} ORDER BY owner LIMIT ?`;
      const rows = database.prepare(sql).all(...all, most);
      return rows.map((row) => toPerson(row.shown));
    },
    countPeople: () => Number(count.get()?.n),
    person,
    ownerOf(key) {
      const owner = named.get(nameOf(key))?.owner;
      return typeof owner === "number" ? person(owner) : undefined;
    },
    hasDevice(userId) {
      const start = nameOf({ pk: `USER#${userId}`, sk: "" });
      return device.get(start, `${start}\uffff`) !== undefined;
    },
  };
}

export function kindOf(key: Key): string {
  return entityOf(key)?.name ?? "item";
}

function nameOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}

/** The row of an item; undefined for an item of another kind. */
function contentsOf(key: Key, item: Item): [owner: number | null, words: string, shown: string] | undefined {
  if (users.matches(key)) {
    const person = personOf(item);
    return [
      person.id,
      plain([nameOf(key), person.name, person.role, ...person.logins].join(" ")),
      JSON.stringify(person),
    ];
  }
  if (companies.matches(key)) return [null, "", String(item.name)];
  if (devices.matches(key)) return [null, "", ""];
  return logins.matches(key) || deviceOwners.matches(key) ? [Number(item.user_id), "", ""] : undefined;
}

function personOf(item: Item): Omit<ShownPerson, "company"> {
  const { id, role, company_id, record } = users.decode(item);
  const names = [record.first_name, record.last_name].filter(Boolean).join(" ");
  const logins = [record.email, record.phone_number].filter((login) => typeof login === "string");
  return { id, name: names || logins[0] || `User ${id}`, role, companyId: company_id, logins };
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

import { DatabaseSync } from "node:sqlite";
import type { Item } from "../../../shared/db/table/table.ts";
import type { DryRunStore } from "../../../shared/db/writes/dry-run.ts";

/** The store of a dry run. SQLite moves it to a temporary file as it grows, so a file of any size can be checked. */
export function openDryRunStore(): DryRunStore & { close(): void } {
  const database = new DatabaseSync("");
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  database.exec("CREATE TABLE items (pk TEXT, sk TEXT, item TEXT NOT NULL, PRIMARY KEY (pk, sk)) WITHOUT ROWID");
  const select = database.prepare("SELECT item FROM items WHERE pk = ? AND sk = ?");
  const replace = database.prepare("REPLACE INTO items VALUES (?, ?, ?)");
  return {
    find({ pk, sk }) {
      const row = select.get(pk, sk);
      return row && (JSON.parse(String(row.item)) as Item | null);
    },
    keep({ pk, sk }, item) {
      replace.run(pk, sk, JSON.stringify(item));
    },
    close: () => database.close(),
  };
}

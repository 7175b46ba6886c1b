import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ItemIndex } from "./item-index.ts";

/** The desk's own consumer of the table's stream, by which it sees changes. */
export const ownConsumer = "desk";

/** Opens the index when it is first needed. */
export type OpenIndex = () => Promise<ItemIndex>;

/**
 * The index of a stream's table, kept in the folder of the consumers' positions. Where it is missing, the desk reads the
 * stream from its beginning.
 */
export function indexOf(streamArn: string, placesDirectory: string): OpenIndex {
  const name = createHash("sha256").update(streamArn).digest("hex").slice(0, 16);
  const file = join(placesDirectory, `${ownConsumer}-${name}.sqlite`);
  mkdirSync(placesDirectory, { recursive: true });
  if (!existsSync(file)) {
    rmSync(join(placesDirectory, `${ownConsumer}.json`), { force: true });
    writeFileSync(file, "", { mode: 0o600 });
  }
  let opened: Promise<ItemIndex> | undefined;
  return () => {
    // Loaded late, because it loads everything that knows the table.
    opened ??= import("./item-index.ts").then(({ openItemIndex }) => openItemIndex(file));
    return opened;
  };
}

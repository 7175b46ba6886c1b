import type { DatabaseSync } from "node:sqlite";
import type { RecordType } from "../../../shared/contract/records.ts";

/** What a text is of, in the order in which those of one record come. */
export const partKinds = { removal: 0, tombstone: 1, record: 2 } as const;
/** What a text is of. */
export type PartKind = keyof typeof partKinds;

/** What the part has of one record. */
export interface PartRecord {
  readonly id: number;
  readonly userId: number;
  /** Its lines, empty where it has not changed; undefined where it was not found. */
  readonly lines: string | undefined;
  readonly isRemoved: boolean;
  /** The version of its tombstone. */
  readonly version: number | undefined;
}

/** What the part has of a type, by id and then by user; of a company's users alone where `ofMembers`. */
export function* recordsOf(database: DatabaseSync, type: RecordType, ofMembers: boolean): Generator<PartRecord> {
  // The index is made by merging runs on disk, and only by the first run that gets here.
  database.exec("CREATE INDEX IF NOT EXISTS by_id ON texts (type, id, user, kind)");
  const members = ofMembers ? "AND user IN (SELECT id FROM members)" : "";
  const ordered = `SELECT id, user, kind, text FROM texts WHERE type = ? ${members} ORDER BY id, user, kind`;
  let last: PartRecord | undefined;
  for (const { id, user, kind, text } of database.prepare(ordered).iterate(type)) {
    const isSame = last?.id === id && last?.userId === user;
    if (last && !isSame) yield last;
    const known = isSame ? last : undefined;
    last = {
      id: Number(id),
      userId: Number(user),
      lines: kind === partKinds.record ? String(text) : known?.lines,
      isRemoved: kind === partKinds.removal || known?.isRemoved === true,
      version: kind === partKinds.tombstone ? Number(text) : known?.version,
    };
  }
  if (last) yield last;
}

import { defineEntity, type StoredItem } from "../../table/entity.ts";
import { getItem, recordKey } from "../../table/table.ts";
import { updateIf } from "../../table/writes.ts";

const sequenceSk = "SEQUENCE";

/** The entity of sequences, which generate ids; `given` counts them. */
export const sequences = defineEntity<StoredItem & { readonly given: number }>(
  "sequence",
  ({ sk }) => sk === sequenceSk,
);

/** Generated ids start here, so that lower ids are free for imports. */
const firstId = 1_000_000_000;

/** If an id is taken, records of another table's sequence were imported. No ids are taken this much further on. */
const stride = 1_000_000;

/**
 * Access pattern Q1: generates the next id of a user that none has or had lately. Ids may be skipped but are never repeated.
 * One write unit and half a read unit; one write unit more if others' ids were imported.
 */
export async function nextUserId(): Promise<number> {
  const id = await give(1);
  const taken = await getItem(recordKey("USER", id), { withTombstones: true });
  return taken ? give(stride) : id;
}

async function give(ids: number): Promise<number> {
  const item = await updateIf({ pk: "SEQUENCE#USER", sk: sequenceSk }, { add: { given: ids } });
  if (!item) throw new Error("A sequence takes any update");
  return firstId + sequences.decode(item).given - 1;
}

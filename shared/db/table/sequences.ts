import { updateIf } from "./conditional-writes.ts";
import { defineEntity, type StoredItem } from "./entity.ts";
import { recordKey } from "./keys.ts";
import { getItem } from "./table.ts";

const sequenceSk = "SEQUENCE";

/** The entity of sequences that ids are taken from; `given` is how many were. */
export const sequences = defineEntity<StoredItem & { readonly given: number }>(
  "sequence",
  ({ sk }) => sk === sequenceSk,
);

/** Ids that the service gives start here, so that imported ones stay free. */
const firstId = 1_000_000_000;

/** Where an id is taken, those of another table's sequence were imported: so many further on there are none. */
const stride = 1_000_000;

/**
 * Access pattern Q1: the next id of an entity that no record has; ids may be left out, never given twice. One write unit and half a
 * read unit; one write unit more where others' ids were imported.
 */
export async function nextId(entity: "USER"): Promise<number> {
  const id = await give(entity, 1);
  return (await getItem(recordKey(entity, id))) ? give(entity, stride) : id;
}

async function give(entity: "USER", ids: number): Promise<number> {
  const item = await updateIf({ pk: `SEQUENCE#${entity}`, sk: sequenceSk }, { add: { given: ids } });
  if (!item) throw new Error("A sequence takes any update");
  return firstId + sequences.decode(item).given - 1;
}

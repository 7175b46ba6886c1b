import { defineEntity, type StoredItem } from "./entity.ts";
import { updateIf } from "./table.ts";
import { updateOf } from "./updates.ts";

const sequenceSk = "SEQUENCE";

/** The entity of sequences that ids are taken from; `given` is how many were. */
export const sequences = defineEntity<StoredItem & { readonly given: number }>(
  "sequence",
  ({ sk }) => sk === sequenceSk,
);

/** Ids that the service gives start here, so that imported ones stay free. */
const firstId = 1_000_000_000;

/** Access pattern Q1: the next id of an entity; ids may be left out, never given twice. One write unit. */
export async function nextId(entity: "USER"): Promise<number> {
  const item = await updateIf(updateOf({ pk: `SEQUENCE#${entity}`, sk: sequenceSk }, { add: { given: 1 } }));
  if (!item) throw new Error("A sequence takes any update");
  return firstId + sequences.decode(item).given - 1;
}

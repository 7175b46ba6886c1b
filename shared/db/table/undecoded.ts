import { defineEntity, type Entity, type RecordItem, stampOnly } from "./entity.ts";
import type { Item } from "./table.ts";

/** Items of kinds that have no entity of their own: given as they are stored, with their version where it is missing. */
export const undecoded: Entity<RecordItem & Item> = defineEntity({
  name: "item",
  matches: () => false,
  upgrades: [stampOnly],
});

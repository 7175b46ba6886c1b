import { sequenceKey } from "./keys.ts";
import { updateIf } from "./table.ts";

/** Ids that the service gives start here, so that imported ones stay free. */
const firstId = 1_000_000_000;

/** Access pattern Q1: the next id of an entity; ids may be left out, never given twice. One write unit. */
export async function nextId(entity: "USER"): Promise<number> {
  const item = await updateIf({
    Key: sequenceKey(entity),
    UpdateExpression: "ADD given :one",
    ExpressionAttributeValues: { ":one": 1 },
  });
  return firstId + Number(item?.given) - 1;
}

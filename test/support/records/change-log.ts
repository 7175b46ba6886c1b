import { isDeepStrictEqual } from "node:util";
import { readImages, type StreamRecord } from "../../../shared/table/entity.ts";
import type { Key } from "../../../shared/table/table.ts";
import { readPlace } from "./writes.ts";

/** Carries out a write of one record; gives the change as the stream does, or nothing where there is none. */
export async function logChange(key: Key, work: () => Promise<unknown>): Promise<StreamRecord[]> {
  const before = await readPlace(key);
  await work();
  const after = await readPlace(key);
  if (isDeepStrictEqual(before, after)) return [];
  lastSequence += 1;
  const written = { createdAt: Math.floor(Date.now() / 1_000), sequence: String(lastSequence) };
  return [{ eventId: crypto.randomUUID(), key, ...readImages(before, after), ...written }];
}

let lastSequence = 0;

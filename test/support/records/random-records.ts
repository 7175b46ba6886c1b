import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { chunksOf, inParallel } from "../../../shared/batches.ts";
import { fromOwned, listedKey, type OwnedFields } from "../../../shared/db/lists/listed-items.ts";
import { nameOf } from "../../../shared/db/table/item-keys.ts";
import type { StreamRecord } from "../../../shared/db/table/stream-records.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import type { ListName } from "../../../shared/domain/records/list-position.ts";
import { settings } from "../../../shared/settings.ts";
import { documentClient } from "./document-client.ts";
import type { Listed } from "./list-model.ts";
import { invoiceLine, jobLine, timesheetLine } from "./records.ts";

/** What a change does to the record of a list at a slot; one that is not there it makes. */
export interface RandomChange extends Omit<Listed, "id" | "number"> {
  readonly list: ListName;
  readonly slot: number;
  readonly does: "state" | "date" | "companyId" | "number" | "total" | "remove";
  readonly number: string;
}

/** Records under random changes, beside a model of them. */
export interface RandomRecords {
  /** The records by list and id. */
  readonly model: Readonly<Record<ListName, ReadonlyMap<number, Listed>>>;
  /** Stores what changes leave, and gives them as the stream does, in order. */
  write(changes: readonly RandomChange[]): Promise<StreamRecord[]>;
}

/** Where ids begin. */
const base = 1_000_000_000;

/** No records yet. */
export function createRandomRecords(): RandomRecords {
  const model = { INVOICES: new Map(), TIMESHEETS: new Map(), JOBS: new Map() };
  const images = new Map<string, Item>();
  let written = 0;

  /** The record after a change, undefined where it is removed. */
  function apply({ list, slot, does, ...values }: RandomChange): Listed | undefined {
    const records: Map<number, Listed> = model[list];
    const id = base + slot;
    const known = records.get(id);
    const changed = known && (does === "remove" || does === "total" ? known : { ...known, [does]: values[does] });
    const next = known && does === "remove" ? undefined : (changed ?? { id, ...values });
    if (next) records.set(id, next);
    else records.delete(id);
    return next;
  }

  function changeOf(change: RandomChange): StreamRecord {
    const key = listedKey(change.list, base + change.slot);
    const before = images.get(nameOf(key));
    const next = apply(change);
    written += 1;
    // A first revision continues from a clock: it is above those of what had the key before.
    const revision = before ? Number(before.revision) + 1 : written * 1_000;
    const after = next && { ...imageOf(change.list, next, written), revision };
    if (after) images.set(nameOf(key), after);
    else images.delete(nameOf(key));
    return { eventId: String(written), key, before, after };
  }

  return {
    model,
    async write(changes) {
      const logged = changes.map(changeOf);
      await storeLast(logged);
      return logged;
    },
  };
}

/** The item of a record; `total` is what no list goes by. */
function imageOf(list: ListName, { id, companyId, state, date, number }: Listed, total: number): Item {
  const { type: _, ...fields } = {
    INVOICES: () => invoiceLine(id, companyId, { state, issued_date: date, number, total: `${total}.00` }),
    TIMESHEETS: () => timesheetLine(id, companyId, { state, payment_state: state, date, total: `${total}.00` }),
    JOBS: () => jobLine(id, companyId, { number: total }),
  }[list]();
  return { ...fromOwned(list, fields as unknown as OwnedFields<typeof list>, undefined, undefined) };
}

/** Brings the table to what the last of the changes left. */
async function storeLast(changes: readonly StreamRecord[]): Promise<void> {
  const last = [...new Map(changes.map((change) => [nameOf(change.key), change])).values()];
  await inParallel(chunksOf(last, 25), 4, async (some) => {
    const requests = some.map(({ key, after }) =>
      after ? { PutRequest: { Item: after } } : { DeleteRequest: { Key: { ...key } } },
    );
    await documentClient().send(new BatchWriteCommand({ RequestItems: { [settings.tableName()]: requests } }));
  });
}

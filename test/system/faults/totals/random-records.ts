import { chunksOf } from "../../../../shared/batches.ts";
import { importParts } from "../../../../shared/db/writes/counters.ts";
import { createWriteBatches } from "../../../../shared/db/writes/write-batches.ts";
import type { ListName } from "../../../../shared/domain/records/list-position.ts";
import { invoiceLine, jobLine, timesheetLine } from "../../../support/records/records.ts";
import { write } from "../../../support/records/writes.ts";
import type { Listed } from "./list-model.ts";

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
  /**
   * Writes changes: those of a record one after the other, half of the records as an import does, in shared
   * transactions, and the other half alone.
   */
  write(changes: readonly RandomChange[]): Promise<void>;
}

/** Where ids begin. */
const base = 1_000_000_000;
const types = { INVOICES: "invoice", TIMESHEETS: "timesheet", JOBS: "job" } as const;

/** No records yet. */
export function createRandomRecords(): RandomRecords {
  const model = { INVOICES: new Map(), TIMESHEETS: new Map(), JOBS: new Map() };
  const commit = createWriteBatches(importParts);
  let written = 0;

  /** The line of a change, which the model has carried out. */
  function lineOf({ list, slot, does, ...values }: RandomChange): object {
    const records: Map<number, Listed> = model[list];
    const id = base + slot;
    const known = records.get(id);
    written += 1;
    if (known && does === "remove") {
      records.delete(id);
      return { type: types[list], id, deleted: true };
    }
    const changed = known && (does === "total" || does === "remove" ? known : { ...known, [does]: values[does] });
    const next = changed ?? { id, ...values };
    records.set(id, next);
    return fullLine(list, next, written);
  }

  return {
    model,
    async write(changes) {
      const byRecord = Map.groupBy(changes, ({ list, slot }) => `${list} ${slot}`);
      const lines = [...byRecord.values()].map((some) => some.map(lineOf));
      const [together = [], alone = []] = chunksOf(lines, Math.ceil(lines.length / 2));
      await Promise.all([
        ...together.map(async (some) => {
          for (const line of some) await write(line, { commit });
        }),
        ...alone.map(async (some) => {
          for (const line of some) await write(line);
        }),
      ]);
    },
  };
}

/** The line of a whole record; `total` is what no list goes by. */
function fullLine(list: ListName, { id, companyId, state, date, number }: Listed, total: number): object {
  const lines = {
    INVOICES: () => invoiceLine(id, companyId, { state, issued_date: date, number, total: `${total}.00` }),
    TIMESHEETS: () => timesheetLine(id, companyId, { state, payment_state: state, date, total: `${total}.00` }),
    JOBS: () => jobLine(id, companyId, { number: total }),
  };
  return lines[list]();
}

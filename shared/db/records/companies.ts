import type { CompleteRecord, RemovalLine, UpsertLine } from "../../contract/records.ts";
import { mergeCompany } from "../../domain/records/record-merge.ts";
import { defineEntity, type RecordItem } from "../table/entity.ts";
import { recordKey } from "../table/item-keys.ts";
import { removeRecord, upsertRecord } from "../writes/record-plans.ts";
import type { Outcome, WriteContext } from "../writes/write-plans.ts";

/** The entity of companies. */
export const companies = defineEntity<RecordItem & CompleteRecord<"company">>(
  "company",
  ({ pk, sk }) => sk === "COMPANY" && pk.startsWith("COMPANY#"),
);

/** Access pattern C1: finds the company that is shown with a user, or null. Half a read unit. */
export async function findCompany(id: number | null): Promise<{ id: number; name: string } | null> {
  const stored = id === null ? undefined : await companies.find(recordKey("COMPANY", id));
  return stored ? { id: stored.id, name: stored.name } : null;
}

/** Access pattern W1: adds or changes a company. One read unit, one write unit. */
export function saveCompany(line: UpsertLine<"company">, context: WriteContext): Promise<Outcome> {
  const key = recordKey("COMPANY", line.id);
  return upsertRecord(companies, key, line, context, (stored) => {
    const revision = stored?.revision ?? 0;
    return { next: { ...stored, ...key, ...mergeCompany(stored, line), revision } };
  });
}

/** Access pattern W5: removes a company. The outcome is `unchanged` if there is none. */
export function removeCompany(line: RemovalLine<"company">, context: WriteContext): Promise<Outcome> {
  return removeRecord(companies, recordKey("COMPANY", line.id), line, context);
}

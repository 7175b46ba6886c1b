import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { type ExportOptions, exportRecords } from "../../../infra/tools/export/export-records.ts";
import { readSelection } from "../../../infra/tools/export/selection.ts";
import { recordTypes } from "../../../shared/contract/records.ts";
import { chunksOf } from "../../../shared/run/batches.ts";
import { settings } from "../../../shared/run/settings.ts";
import { tableClient } from "../../../shared/table/table.ts";
import { allItems } from "../../support/records/items.ts";
import { newFolder } from "../../support/service/new-folder.ts";

/** The paths of files in a new folder. */
export function useFolder(): (name: string) => string {
  const folder = newFolder();
  return (name) => join(folder, name);
}

/** Everything, as a call without options selects it. */
export const everything = { types: recordTypes, companyId: undefined, since: undefined };

/** Exports to a file, everything in lines unless the options say otherwise. */
export function runExport(out: string, options: Partial<ExportOptions> = {}) {
  const table = { items: undefined, now: () => new Date() };
  const usual = { selection: everything, csv: false, table, segments: 4 };
  return exportRecords({ out, ...usual, ...options });
}

/** The bytes of an export of everything. */
export async function exported(out: string, options: Partial<ExportOptions> = {}): Promise<string> {
  await runExport(out, options);
  const bytes = readFileSync(out, "utf8");
  rmSync(out);
  return bytes;
}

/** A selection as a call names it. */
export function selected(typed: { types?: string; company?: string; since?: string; csv?: boolean }, now = new Date()) {
  return readSelection({ csv: false, ...typed }, now);
}

/** Deletes every item of the table. */
export async function emptyTable(): Promise<void> {
  const TableName = settings.tableName();
  for (const chunk of chunksOf(await allItems(), 25)) {
    const requests = chunk.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    await tableClient().send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
  }
}

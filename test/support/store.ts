import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { recordKey, type RecordKind } from "../../shared/db/keys.ts";
import { listKeys } from "../../shared/db/lists.ts";
import { documentClient } from "../../shared/db/table.ts";
import { settings } from "../../shared/settings.ts";

type Line = Record<string, unknown>;

export async function store(lines: readonly Line[]): Promise<void> {
  await Promise.all(lines.map(async ({ type, id, company_id, ...record }) => {
    const kind = String(type).toUpperCase() as "TIMESHEET" | "INVOICE" | "JOB";
    if (kind === "TIMESHEET") record.payment_state = record.state;
    const keys = listKeys(`${kind}S`, company_id as number, String(record.state ?? "published"));
    await documentClient().send(new PutCommand({ TableName: settings.tableName(), Item: { ...recordKey(kind, id as number), id, company_id, revision: 1, record, ...keys } }));
  }));
}

/** The interface's fields of a record as they are stored now. */
export async function readRecord(kind: RecordKind, id: number): Promise<Line | undefined> {
  const { Item } = await documentClient().send(
    new GetCommand({ TableName: settings.tableName(), Key: { ...recordKey(kind, id) }, ConsistentRead: true }),
  );
  return Item?.record;
}

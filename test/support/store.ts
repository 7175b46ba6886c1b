import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type RecordKind, recordKey } from "../../shared/db/keys.ts";
import { documentClient, type Item } from "../../shared/db/table.ts";
import { writeRecord } from "../../shared/db/write-record.ts";
import { parseRecordLine } from "../../shared/domain/record-line.ts";
import { settings } from "../../shared/settings.ts";

/** Stores records the way an import does. */
export async function store(lines: readonly object[], now = new Date()): Promise<void> {
  await Promise.all(lines.map((line) => writeRecord(parseRecordLine(line, "GB"), { now })));
}

/** The interface's fields of a record as they are stored now. */
export async function readRecord(kind: RecordKind, id: number): Promise<Item | undefined> {
  const { Item } = await documentClient().send(
    new GetCommand({ TableName: settings.tableName(), Key: { ...recordKey(kind, id) }, ConsistentRead: true }),
  );
  return Item?.record;
}

import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

const recordsAtOnce = 500;
const busyMilliseconds = 250;

// The newest record stays: dynoxide numbers the next one after it, and would begin at 1 again.
const trim = `
  DELETE FROM _stream_records WHERE id IN (
    SELECT id FROM _stream_records
    WHERE table_name = :table AND CAST(sequence_number AS INTEGER) <= :upTo AND CAST(sequence_number AS INTEGER) <
      (SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = :table)
    LIMIT ${recordsAtOnce}
  )`;

/**
 * Forgets a table's stream records up to a sequence number, which dynoxide itself never does: `file` is its database. Few
 * at a time, as writes wait meanwhile; what a busy database keeps is left for the next time. Gives how many are gone.
 */
export async function trimStreamRecords(file: string, tableName: string, upTo: bigint): Promise<number> {
  const database = new DatabaseSync(file, { timeout: busyMilliseconds });
  let trimmed = 0;
  try {
    const statement = database.prepare(trim);
    for (;;) {
      const changes = Number(statement.run({ table: tableName, upTo }).changes);
      trimmed += changes;
      if (changes < recordsAtOnce) return trimmed;
      await pause(5);
    }
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return trimmed;
    throw error;
  } finally {
    database.close();
  }
}

const sqliteBusy = 5;

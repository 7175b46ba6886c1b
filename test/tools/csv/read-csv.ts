import type { RecordReader } from "../../../infra/tools/import/import-lines.ts";
import { Refusal } from "../../../shared/contract/refusals.ts";

/** The result of a reader for a file, by the number of its line; a refusal as its field errors. */
export async function readCsv(reader: RecordReader, file: string | Buffer): Promise<[number, unknown][]> {
  async function* source() {
    yield Buffer.from(file);
  }
  const found: [number, unknown][] = [];
  for await (const { number, given } of reader(source())) {
    found.push([number, given instanceof Refusal ? given.facts.errors?.[0]?.detail : given]);
  }
  return found;
}

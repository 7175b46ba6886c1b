import { join } from "node:path";
import {
  DeleteParameterCommand,
  ParameterNotFound,
  PutParameterCommand,
  paginateGetParametersByPath,
  SSMClient,
} from "@aws-sdk/client-ssm";
import { withClient } from "../../local/aws/with-client.ts";
import { readJsonFile } from "../../local/json-file.ts";
import { writeWholeFile } from "../../local/whole-file.ts";
import { namesOf } from "../../stages/names.ts";
import type { ServiceTarget } from "../service/open-service.ts";
import type { ErasedEntry } from "./person.ts";

/** The list of forgotten people. It is outside the table and its backups, so that a restore does not lose it. */
export interface ErasedList {
  entries(): Promise<ErasedEntry[]>;
  /** Adds an entry. If the user has one, it keeps it and adds further profiles. */
  add(entry: ErasedEntry): Promise<void>;
  remove(id: number): Promise<void>;
}

/** The list of a stage, in parameters of Systems Manager, one for each person; for a local machine, a file in its folder. */
export function openErasedList({ stage, directory }: ServiceTarget): ErasedList {
  return stage === undefined ? inFile(join(directory, "erased.json")) : inParameters(namesOf(stage).erased);
}

/** The entry to store; undefined if the stored one is complete. */
function withEntry(entries: readonly ErasedEntry[], entry: ErasedEntry): ErasedEntry | undefined {
  const kept = entries.find(({ id }) => id === entry.id);
  if (!kept) return entry;
  const profile_ids = [...new Set([...kept.profile_ids, ...entry.profile_ids])];
  return profile_ids.length > kept.profile_ids.length ? { ...kept, profile_ids } : undefined;
}

function inFile(file: string): ErasedList {
  const read = () => readJsonFile<ErasedEntry[]>(file) ?? [];
  const write = (entries: readonly ErasedEntry[]) => writeWholeFile(file, JSON.stringify(entries), 0o600);
  return {
    entries: async () => read(),
    async add(entry) {
      const next = withEntry(read(), entry);
      if (next) write([...read().filter(({ id }) => id !== entry.id), next]);
    },
    async remove(id) {
      write(read().filter((entry) => entry.id !== id));
    },
  };
}

function inParameters(path: string): ErasedList {
  const entries = () =>
    withClient(new SSMClient({}), async (client) => {
      const found: ErasedEntry[] = [];
      for await (const { Parameters = [] } of paginateGetParametersByPath({ client }, { Path: path })) {
        found.push(...Parameters.map(({ Value = "" }): ErasedEntry => JSON.parse(Value)));
      }
      return found.sort((one, other) => one.id - other.id);
    });
  return {
    entries,
    async add(entry) {
      const next = withEntry(await entries(), entry);
      if (!next) return;
      const parameter = { Name: `${path}/${next.id}`, Type: "String", Value: JSON.stringify(next) } as const;
      const command = new PutParameterCommand({ ...parameter, Overwrite: true });
      await withClient(new SSMClient({}), (client) => client.send(command));
    },
    async remove(id) {
      const command = new DeleteParameterCommand({ Name: `${path}/${id}` });
      await withClient(new SSMClient({}), (client) => client.send(command)).catch((error) => {
        if (!(error instanceof ParameterNotFound)) throw error;
      });
    },
  };
}

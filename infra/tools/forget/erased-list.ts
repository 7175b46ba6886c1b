import { join } from "node:path";
import {
  DeleteParameterCommand,
  PutParameterCommand,
  paginateGetParametersByPath,
  SSMClient,
} from "@aws-sdk/client-ssm";
import { withClient } from "../../runtime/aws/with-client.ts";
import { namesOf } from "../../stages/names.ts";
import { readJsonFile } from "../../support/json-file.ts";
import { writeWholeFile } from "../../support/whole-file.ts";
import { orUndefined } from "../aws/aws-faults.ts";
import type { ErasedEntry } from "./person.ts";

/** The list of forgotten people. It is outside the table and its backups, so that a restore does not lose it. */
export interface ErasedList {
  entries(): Promise<ErasedEntry[]>;
  /** Adds an entry. If the user has one, it keeps it and adds further profiles. */
  add(entry: ErasedEntry): Promise<unknown>;
  remove(id: number): Promise<unknown>;
}

type Store = Omit<ErasedList, "add"> & { put(entry: ErasedEntry): Promise<unknown> };

interface ListPlace {
  /** The name of a stage in AWS; undefined for the local machine's. */
  readonly stage: string | undefined;
  readonly directory: string;
}

/** The list of a stage, in parameters of Systems Manager, one for each person; for a local machine, a file in its folder. */
export function openErasedList({ stage, directory }: ListPlace): ErasedList {
  const store = stage === undefined ? inFile(join(directory, "erased.json")) : inParameters(namesOf(stage).erased);
  return {
    ...store,
    async add(entry) {
      const kept = (await store.entries()).find(({ id }) => id === entry.id);
      const profile_ids = [...new Set([...(kept?.profile_ids ?? []), ...entry.profile_ids])];
      return store.put({ ...entry, ...kept, profile_ids });
    },
  };
}

function inFile(file: string): Store {
  const others = (id: number) => (readJsonFile<ErasedEntry[]>(file) ?? []).filter((entry) => entry.id !== id);
  const write = (entries: readonly ErasedEntry[]) => writeWholeFile(file, JSON.stringify(entries), 0o600);
  return {
    entries: async () => readJsonFile<ErasedEntry[]>(file) ?? [],
    put: async (entry) => write([...others(entry.id), entry]),
    remove: async (id) => write(others(id)),
  };
}

function inParameters(path: string): Store {
  const ask = <T>(work: (client: SSMClient) => Promise<T>) => withClient(new SSMClient({}), work);
  return {
    entries: () =>
      ask(async (client) => {
        const found: ErasedEntry[] = [];
        for await (const { Parameters = [] } of paginateGetParametersByPath({ client }, { Path: path })) {
          found.push(...Parameters.map(({ Value = "" }): ErasedEntry => JSON.parse(Value)));
        }
        return found.sort((one, other) => one.id - other.id);
      }),
    put(entry) {
      const parameter = { Name: `${path}/${entry.id}`, Type: "String", Value: JSON.stringify(entry) } as const;
      return ask((client) => client.send(new PutParameterCommand({ ...parameter, Overwrite: true })));
    },
    remove: (id) => orUndefined(ask((client) => client.send(new DeleteParameterCommand({ Name: `${path}/${id}` })))),
  };
}

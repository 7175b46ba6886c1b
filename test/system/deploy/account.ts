import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { namesOf, tableNameOf } from "../../../infra/stages/names.ts";
import type { Stage } from "../../../infra/stages/stage-shape.ts";
import { type Emulator, startEmulator } from "./emulator.ts";
import { root, runProgram } from "./program.ts";

const longestMs = 240_000;
const keptCharacters = 3_000;

/** Runs the project's cdk command as a person does, against the emulator and with a home folder of its own; `more` is added to its environment. */
type Cdk = (
  parameters: readonly string[],
  more?: Readonly<Record<string, string>>,
) => Promise<{ code: number | null; printed: string }>;

/** An account of AWS that a test file has to itself, in an emulator. */
export interface Account {
  readonly emulator: Emulator;
  readonly cdk: Cdk;
  /** A folder for what is made on the way, deleted at the end. */
  readonly directory: string;
  output(use: string): string;
}

/** Gives a test file an account; this process is its client, and imports records into the stage that will be deployed. */
export function useAccount(name: string, stage: Stage): Account {
  const settings = {
    CALL_PATIENCE: "10",
    TABLE_NAME: tableNameOf(stage),
    HMAC_SECRET_ARN: namesOf(stage.name).hmacSecret,
    DEFAULT_COUNTRY: "GB",
    BUSINESS_TIME_ZONE: "Europe/London",
    HISTORY_DAYS: "400",
    CDK_VALIDATION: "false",
  };
  const directory = mkdtempSync(join(tmpdir(), `workforce-${name}-`));
  const account = { directory, output: (use: string) => join(directory, use) } as Account;
  beforeAll(async () => {
    const emulator = await startEmulator(directory);
    Object.assign(account, { emulator, cdk: createCdk(emulator, directory) });
    Object.assign(process.env, emulator.clientEnvironment, settings);
  });
  afterAll(async () => {
    await account.emulator?.close();
    // What was printed stays, for whoever looks for the reason of a failure.
    const kept = join(root, ".local", name);
    mkdirSync(kept, { recursive: true });
    for (const log of ["emulator.log", "cdk.log"]) copyFileSync(join(directory, log), join(kept, log));
    rmSync(directory, { recursive: true, force: true });
  });
  return account;
}

/** A cdk command whose files are in a folder, all that it prints among them. */
function createCdk({ clientEnvironment }: Emulator, directory: string): Cdk {
  const environment = {
    PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}`,
    HOME: directory,
    NO_COLOR: "1",
    CDK_DISABLE_VERSION_CHECK: "true",
    CDK_VALIDATION: "false",
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    npm_config_update_notifier: "false",
    AWS_EC2_METADATA_DISABLED: "true",
    ...clientEnvironment,
  };
  const command = join(root, "node_modules/.bin/cdk");
  return async (parameters, more) => {
    const call = [...parameters, "--no-notices"];
    const { code, output } = await runProgram(command, call, { ...environment, ...more }, longestMs);
    appendFileSync(join(directory, "cdk.log"), `cdk ${parameters.join(" ")}\n${output}\n`);
    return { code, printed: output.slice(-keptCharacters) };
  };
}

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Cdk, createCdk } from "./cdk.ts";
import { type Emulator, startEmulator } from "./emulator.ts";
import { root } from "./program.ts";

/** An account of AWS that a test file has to itself, in an emulator. */
export interface Account {
  readonly emulator: Emulator;
  readonly cdk: Cdk;
  /** A folder for what is made on the way, deleted at the end. */
  readonly directory: string;
  output(use: string): string;
}

/** Gives a test file an account; this process is its client, with settings of its own in the environment. */
export function useAccount(name: string, settings: Readonly<Record<string, string>>): Account {
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

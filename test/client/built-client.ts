import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { type BuiltClient, buildClient, writeClient } from "../../infra/tools/client/package.ts";
import type * as Source from "../../shared/client/index.ts";

/** The client as apps import it, built into a folder of its own. */
export interface ImportedClient {
  readonly folder: string;
  /** The package as apps import it. */
  readonly module: typeof Source;
  /** The address of its entry, for other processes. */
  readonly url: string;
  remove(): void;
}

/** The package of the client, built and packed. */
export type ClientPackage = ImportedClient & BuiltClient;

/** Builds the package as `npm run client` does, and imports it. */
export async function buildClientPackage(name: string): Promise<ClientPackage> {
  const directory = makeDirectory();
  const built = buildClient(folderIn(directory), name);
  return { ...built, ...(await importClient(directory)) };
}

function makeDirectory(): string {
  return mkdtempSync(join(tmpdir(), "workforce-client-"));
}

function folderIn(directory: string): string {
  return join(directory, "client");
}

async function importClient(directory: string): Promise<ImportedClient> {
  const folder = folderIn(directory);
  const url = pathToFileURL(join(folder, "index.js")).href;
  const remove = () => rmSync(directory, { recursive: true });
  return { folder, url, remove, module: await import(/* @vite-ignore */ url) };
}

/** The client for the tests of a file, which may use it from their first line on; not packed, which takes npm. */
export function useClientPackage(): ImportedClient {
  const built = {} as ImportedClient;
  beforeAll(async () => {
    const directory = makeDirectory();
    writeClient(folderIn(directory), "workforce-api-client");
    Object.assign(built, await importClient(directory));
  });
  afterAll(() => built.remove());
  return built;
}

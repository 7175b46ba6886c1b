import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll } from "vitest";
import { makeTemporaryFolder } from "../../infra/support/temporary-folder.ts";
import { type BuiltClient, buildClient, writeClient } from "../../infra/tools/client/package.ts";
import type * as Source from "../../shared/client/index.ts";

/** The client as apps import it. */
export interface ImportedClient {
  readonly module: typeof Source;
}

/** The package of the client, built and packed. */
export type ClientPackage = ImportedClient & BuiltClient;

/** Builds the package as `npm run client` does, and imports it. */
export async function buildClientPackage(name: string): Promise<ClientPackage> {
  const built = buildClient(newFolder(), name);
  return { ...built, module: await importClient(built.folder) };
}

/** The client for the tests of a file, which may use it from their first line on; not packed, which takes npm. */
export function useClientPackage(): ImportedClient {
  const built = {} as { module: typeof Source };
  beforeAll(async () => {
    const folder = newFolder();
    writeClient(folder, "workforce-api-client");
    built.module = await importClient(folder);
  });
  return built;
}

/** Journeys that run by themselves leave it to the next process. */
function newFolder(): string {
  return join(makeTemporaryFolder("client").path, "client");
}

function importClient(folder: string): Promise<typeof Source> {
  return import(/* @vite-ignore */ pathToFileURL(join(folder, "index.js")).href);
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { type BuiltClient, buildClient } from "../../../infra/tools/client/package.ts";
import type * as Source from "../../../shared/client/index.ts";

/** The package of the client, built into a folder of its own. */
export interface ClientPackage extends BuiltClient {
  /** What apps import. */
  readonly module: typeof Source;
  /** The address of its entry, for other processes. */
  readonly url: string;
  remove(): void;
}

/** Builds the package as `npm run client` does, and imports it. */
export async function buildClientPackage(name = "workforce-api-client"): Promise<ClientPackage> {
  const directory = mkdtempSync(join(tmpdir(), "workforce-client-"));
  const built = buildClient(join(directory, "client"), name);
  const url = pathToFileURL(join(built.folder, "index.js")).href;
  const remove = () => rmSync(directory, { recursive: true });
  return { ...built, url, remove, module: await import(/* @vite-ignore */ url) };
}

/** The package for the tests of a file, which may use it from their first line on. */
export function useClientPackage(): ClientPackage {
  const built = {} as ClientPackage;
  beforeAll(async () => void Object.assign(built, await buildClientPackage()));
  afterAll(() => built.remove());
  return built;
}

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import own from "../../../package.json" with { type: "json" };
import { root } from "../../support/root.ts";
import { clientOperations } from "./client-operations.ts";
import { declareClient } from "./declarations.ts";

/** The default name of the package: the name of the checkout's own package, with `-client`. */
export const usualName = `${own.name}-client`;

/** The package's name in the guides. The built package replaces it with its own. */
const writtenName = "workforce-api-client";

/** A built package: its folder, its packed file, and the size of its entry in bytes after `gzip -9`. */
export interface BuiltClient {
  readonly folder: string;
  readonly packed: string;
  readonly gzipped: number;
}

/** Builds the client's package into an empty folder and packs it there. Throws if npm cannot pack it. */
export function buildClient(folder: string, name: string): BuiltClient {
  writeClient(folder, name);
  const gzipped = gzipSync(readFileSync(join(folder, "index.js")), { level: 9 }).length;
  return { folder, packed: join(folder, pack(folder)), gzipped };
}

/** Builds the package into an empty folder. */
export function writeClient(folder: string, name: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  buildSync({
    absWorkingDir: root,
    entryPoints: ["shared/client/index.ts"],
    outfile: join(folder, "index.js"),
    bundle: true,
    minify: true,
    // Node prints the line that an uncaught error was thrown in: the whole entry, if that is one line.
    lineLimit: 160,
    format: "esm",
    target: "es2022",
    define: { OPERATIONS: JSON.stringify(clientOperations()) },
    sourcemap: true,
    logLevel: "warning",
  });
  const readme = readFileSync(join(root, "shared/client/README.md"), "utf8").replaceAll(writtenName, name);
  writeFileSync(join(folder, "README.md"), readme);
  writeFileSync(join(folder, "index.d.ts"), `${declareClient()}\n`);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifestOf(name), null, 2)}\n`);
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

function manifestOf(name: string): object {
  return {
    name,
    version: own.version,
    license: own.license,
    description: "Client of the service's HTTP interface",
    type: "module",
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    types: "./index.d.ts",
    sideEffects: false,
    engines: { node: ">=20" },
    files: ["index.js", "index.js.map", "index.d.ts"],
  };
}

function pack(folder: string): string {
  const call = ["pack", "--json", "--ignore-scripts"];
  return JSON.parse(execFileSync("npm", call, { cwd: folder, stdio: "pipe", encoding: "utf8" }))[0].filename;
}

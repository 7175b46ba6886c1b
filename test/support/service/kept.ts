import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { takeLock } from "../../../infra/runtime/machine-lock.ts";
import { root } from "../../../infra/support/root.ts";

/** Gives `use` a folder of the checkout that is kept for later runs. Two runs take turns: the second finds what the first made. */
export async function keep<T>(name: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(root, ".local/test-made", name);
  let release = takeLock(folder);
  while (!release) {
    await pause(50);
    release = takeLock(folder);
  }
  try {
    return await use(folder);
  } finally {
    release();
  }
}

/** Copies the bundle of each function as it is deployed into a folder; builds them only if a source has changed. */
export function copyBundles(folder: string): Promise<void> {
  return copyMade("bundles", folder, "test/support/service/bundle-program.ts");
}

/** Copies the synthesis of every stage, as its owner would have it, into a folder: one file each. */
export function copyStages(folder: string): Promise<void> {
  return copyMade("stages", folder, "test/infra/synthesize-stages.ts", "test/infra/stages/owned-stage.ts");
}

/** Copies what a program of the tests makes of the sources. */
function copyMade(name: string, to: string, ...own: readonly [program: string, ...string[]]): Promise<void> {
  const make = (made: string) => promisify(execFile)(process.execPath, [join(root, own[0]), made], { cwd: root });
  return copyKept(name, digestSources(...own), make, to);
}

/** Copies a folder that an earlier run made; has it made again if the digest of what it is made from is another. */
export function copyKept(
  name: string,
  digest: string,
  make: (folder: string) => Promise<unknown>,
  to: string,
): Promise<void> {
  return keep(name, async (kept) => {
    const [made, file] = [join(kept, "made"), join(kept, "sources.sha256")];
    if (!existsSync(file) || readFileSync(file, "utf8") !== digest) {
      for (const former of [file, made]) rmSync(former, { recursive: true, force: true });
      await make(made);
      // What failed may not fail again.
      if (globSync("*.failed", { cwd: made }).length === 0) writeFileSync(file, digest);
    }
    cpSync(made, to, { recursive: true });
  });
}

/** A digest of every file that a bundle or a template may be made from, and of the other named ones. */
export function digestSources(...others: readonly string[]): string {
  const folders = ["functions", "infra", "shared"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const digest = createHash("sha256").update(process.version);
  for (const path of ["package-lock.json", "cdk.json", ...others, ...folders.sort()]) {
    const file = join(root, path);
    if (statSync(file).isFile()) digest.update(path).update("\0").update(readFileSync(file));
  }
  return digest.digest("hex");
}

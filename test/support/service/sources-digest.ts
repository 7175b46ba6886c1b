import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

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

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../../infra/support/root.ts";

/** A copy of the checkout, to be edited: nothing can be left edited in the checkout itself. */
export interface CheckoutCopy {
  path: string;
  read(file: string): string;
  /** Saves a file as editors do: written beside it, and put in its place. */
  save(file: string, text: string): void;
  remove(): void;
}

/**
 * Copies what git knows of the checkout, and what it does not ignore, into a temporary folder. Packages are shared; what tools
 * keep beside them is not.
 */
export function copyCheckout(): CheckoutCopy {
  const path = mkdtempSync(join(tmpdir(), "workforce-edits-"));
  const options = { cwd: root, encoding: "utf8" } as const;
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], options);
  for (const file of listed.split("\0").filter((each) => each !== "" && existsSync(join(root, each)))) {
    cpSync(join(root, file), join(path, file));
  }
  const packages = join(root, "node_modules");
  mkdirSync(join(path, "node_modules"));
  for (const name of readdirSync(packages).filter((each) => each === ".bin" || !each.startsWith("."))) {
    symlinkSync(join(packages, name), join(path, "node_modules", name));
  }
  return {
    path,
    read: (file) => readFileSync(join(path, file), "utf8"),
    save(file, text) {
      const draft = join(path, `${file}~`);
      writeFileSync(draft, text);
      renameSync(draft, join(path, file));
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

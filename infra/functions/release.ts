import { spawnSync } from "node:child_process";
import { root } from "./bundle-places.ts";

/** A release: its commit, and the hashes of its functions' builds. */
export interface ReleaseManifest {
  /** Id of the commit, with `-dirty` if files differ from it; `unknown` if it was built outside of a repository. */
  readonly commit: string;
  readonly hashes: readonly string[];
}

export function writeManifest({ commit, hashes }: ReleaseManifest): string {
  return [commit, ...hashes].join(" ");
}

/** Reads a manifest that `writeManifest` wrote. */
export function readManifest(text: string): ReleaseManifest {
  const [commit = "unknown", ...hashes] = text.split(" ");
  return { commit, hashes };
}

let commit: string | undefined;

/** Id of the checked-out commit, with `-dirty` if files differ from it; `unknown` outside of a repository. */
export function readCommit(): string {
  commit ??= describeCommit();
  return commit;
}

function describeCommit(): string {
  const describe = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
  const { status, stdout } = spawnSync("git", describe, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : "unknown";
}

import { spawnSync } from "node:child_process";
import { root } from "../support/root.ts";

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

/** Id of the commit that is checked out into a folder, with `-dirty` if files differ from it; `unknown` outside of a repository. */
export function readCommit(folder = root): string {
  const describe = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
  const { status, stdout } = spawnSync("git", describe, { cwd: folder, encoding: "utf8" });
  return status === 0 ? stdout.trim() : "unknown";
}

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFolder } from "../../../../infra/functions/bundle-places.ts";
import { type FunctionName, functions } from "../../../../infra/functions/functions.ts";
import type { Stage } from "../../../../infra/stages/stage-shape.ts";
import { createApp } from "../../../../infra/synthesize.ts";
import { WorkforceStack } from "../../../../infra/workforce-stack.ts";
import { copyBundles } from "../../../support/service/kept.ts";

/** Header in which the functions of a made-up release say which one they are of. */
export const releaseHeader = "made-up-release";

const careful = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].canary);

/** A release, and what the cdk command is given with `-c` for it. */
interface Release {
  readonly name: string;
  readonly context: Readonly<Record<string, string>>;
}

export type MakeRelease = Awaited<ReturnType<typeof createReleases>>;

/** Makes releases of a stage from bundles in a folder; they differ in what the careful functions say of themselves. */
export async function createReleases(bundles: string) {
  await copyBundles(bundles);
  const indexes = careful.map((name) => join(bundleFolder(bundles, name), "index.mjs"));
  const originals = new Map(indexes.map((file) => [file, readFileSync(file, "utf8")]));
  /** Writes what the cdk command deploys into an empty folder. */
  return (stage: Stage, { name, context }: Release, outdir: string): string => {
    for (const [file, original] of originals) writeFileSync(file, `${original.replace(exported, exportedAs(name))}`);
    const app = createApp({ outdir, context });
    new WorkforceStack(app, { stage, bundles });
    app.synth();
    return outdir;
  };
}

const exported = "export { handler };";

function exportedAs(release: string): string {
  const headers = `{ ...answer.headers, "${releaseHeader}": "${release}" }`;
  return `const released = async (...given) => {
  const answer = await handler(...given);
  return { ...answer, headers: ${headers} };
};
export { released as handler };`;
}

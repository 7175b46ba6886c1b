import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { inject } from "vitest";
import { bundleOptions } from "../../../infra/functions/bundle.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { root } from "../../../infra/local/stack/synthesis.ts";

/** The attribute that the next release stores with whatever it writes. */
export const nextAttribute = "of_next_release";

/** What writes an import line, among the functions. */
export const importer = "import-line";

/** Gives the handler of a function, or the importer. */
export type Load = (name: string) => unknown;

/**
 * Puts one bundle of all functions into a folder, built once for the run; gives what loads them. Of the next release, `isNext`,
 * every entity has a version more, with one more attribute.
 */
export async function takeRelease(outdir: string, isNext: boolean): Promise<Load> {
  const file = join(outdir, "stdin.cjs");
  const shared = join(inject("synthesized"), `${isNext ? "next" : "this"}-release.cjs`);
  if (existsSync(shared)) {
    mkdirSync(outdir, { recursive: true });
    copyFileSync(shared, file);
  } else {
    await buildRelease(outdir, isNext);
    // Two files that run side by side may both have built it.
    copyFileSync(file, `${shared}.${process.pid}`);
    renameSync(`${shared}.${process.pid}`, shared);
  }
  const { handlers } = createRequire(import.meta.url)(file);
  return (name) => handlers[name];
}

async function buildRelease(outdir: string, isNext: boolean): Promise<void> {
  const { entryPoints: _, alias, ...options } = bundleOptions(outdir);
  const credentials = "@aws-sdk/credential-provider-node";
  const stdin = { contents: source(), resolveDir: root };
  const own = { alias: { [credentials]: alias[credentials] }, minify: false, stdin };
  await build({ ...options, ...own, plugins: isNext ? [nextStore] : [] });
}

function source(): string {
  const file = (path: string) => JSON.stringify(join(root, path));
  const all = Object.entries(functions).map(([name, { area }]) => ({ name, path: `functions/${area}/${name}.ts` }));
  return `
${all.map(({ path }, at) => `import { handler as handler${at} } from ${file(path)};`).join("\n")}
import { writeRecord } from ${file("shared/db/write-record.ts")};
import { parseRecordLine } from ${file("shared/domain/records/record-line.ts")};
import { hmacKey } from ${file("shared/secrets.ts")};
export const handlers = {
  ${JSON.stringify(importer)}: (line) => writeRecord(parseRecordLine(line, "GB"), { now: new Date(), hmacKey }),
${all.map(({ name }, at) => `  ${JSON.stringify(name)}: handler${at},`).join("\n")}
};`;
}

const nextStore: Plugin = {
  name: "next-store",
  setup(builder) {
    builder.onLoad({ filter: /shared\/db\/table\/entity\.ts$/ }, ({ path }) => {
      const changes = [
        ["const version = upgrades.length;", "const version = upgrades.length + 1;"],
        ["&& stamp) }),", `&& stamp), ${nextAttribute}: { by: "the next release" } }),`],
      ] as const;
      const contents = changes.reduce((text, [from, to]) => replaceOnce(text, from, to), readFileSync(path, "utf8"));
      return { contents, loader: "ts" };
    });
  },
};

function replaceOnce(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`The source has ${from} not once`);
  return text.replace(from, to);
}

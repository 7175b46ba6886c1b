import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import metadata from "libphonenumber-js/max/metadata";
import { expect, test } from "vitest";
import { buildFunctions } from "../../../infra/functions/bundle.ts";
import { bundleFile, bundleFolder } from "../../../infra/functions/bundle-places.ts";
import { phoneMetadataModule } from "../../../infra/functions/entries.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { root } from "../../../infra/support/root.ts";
import { builtBundles } from "../../support/service/made-stack.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const names = ["get-health", "sign-in", "notify"];
const bundles = await builtBundles();
const directory = newFolder();
const builds = build("one");

function build(folder: string, only = names) {
  const outdir = join(directory, folder);
  mkdirSync(outdir, { recursive: true });
  return buildFunctions(outdir, { names: only, maps: true });
}

test("the same sources give the same bytes and maps in any folder, beside other functions or alone", () => {
  expect(builds.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(build("another/and/deeper", ["sign-in"])).toEqual(builds.filter(({ name }) => name === "sign-in"));
});

test("what is deployed is the build without its map, and its file and its loader name the build", () => {
  for (const { name, hash, code, map } of builds) {
    const file = bundleFile(bundles, name);
    expect(readFileSync(file, "utf8")).toBe(code);
    expect(file.endsWith(`/${name}.${hash}.cjs`)).toBe(true);
    expect(createHash("sha256").update(code).digest("hex").slice(0, 12)).toBe(hash);
    expect(readFileSync(join(dirname(file), "index.mjs"), "utf8")).toContain(`process.env.BUILD = "${hash}";`);
    expect(code).not.toContain("sourceMappingURL");
    const { sources, sourcesContent } = JSON.parse(map ?? "") as { sources: string[]; sourcesContent?: unknown };
    expect(sourcesContent).toBeUndefined();
    expect(sources).toContain("shared/run/log.ts");
    expect(sources.filter((source) => source.includes("..") || source.includes(root))).toEqual([]);
  }
});

test("a function's folder holds its code and its loader, and no map", () => {
  for (const name of Object.keys(functions)) {
    const files = globSync("**/*", { cwd: bundleFolder(bundles, name) });
    const shown = files.map((file) => file.replace(/\.[0-9a-f]{12}\./, ".*."));
    expect(new Set(shown)).toEqual(new Set(["index.mjs", `${name}.*.cjs`]));
  }
});

test("D7: bundles read numbers by the whole metadata of the library", async () => {
  const bundled = await import(`data:text/javascript,${encodeURIComponent(phoneMetadataModule())}`);
  expect(bundled.default).toEqual(metadata);
});

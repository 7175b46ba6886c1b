import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { docs } from "../../infra/tools/docs.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { runTool } from "./machine.ts";

const checkout = join(import.meta.dirname, "../..");
const clientPages = ["shared/client/README.md", "infra/document/guides/9-client.md"];
const pages = ["README.md", "shared/contract/README.md", "infra/README.md", ...clientPages];
let root: string;

beforeAll(() => {
  root = newFolder();
  for (const page of pages) {
    mkdirSync(dirname(join(root, page)), { recursive: true });
    cpSync(join(checkout, page), join(root, page));
  }
});

const textOf = (page: string, folder = root) => readFileSync(join(folder, page), "utf8");
const run = (...parameters: string[]) => runTool(async () => docs(parameters, root));

function change(page: string, from: string | RegExp, to: string): void {
  const text = textOf(page);
  expect(text).toMatch(from);
  writeFileSync(join(root, page), text.replace(from, to));
}

test("a row that is missing or changed is written again, and nothing outside the markers", async () => {
  change("README.md", /\| get-job \|.*\n/, "");
  change("README.md", "# Workforce API", "# Another title");
  change("shared/contract/README.md", "`route_not_found`, ", "");
  const { code, out } = await run();
  expect([code, out.match(/: up to date$/gm)?.length]).toEqual([0, 3]);
  expect([...out.matchAll(/^(.+): written$/gm)].map(([, page]) => page)).toEqual([
    "README.md",
    "shared/contract/README.md",
  ]);
  const stale = "npm run docs first: the checkout's own tables are stale";
  expect(textOf("README.md").replace("# Another title", "# Workforce API"), stale).toBe(textOf("README.md", checkout));
  expect(textOf("shared/contract/README.md")).toBe(textOf("shared/contract/README.md", checkout));
});

test("a page without its markers is named with what it lacks", async () => {
  const text = textOf("README.md");
  change("README.md", "<!-- /docs:core -->", "");
  await expect(run()).rejects.toThrow("lacks the markers <!-- docs:core --> and <!-- /docs:core -->");
  writeFileSync(join(root, "README.md"), text);
});

test("with --costs and --examples the programs that measure and record run; one that fails ends the command", async () => {
  const programs = {
    "test/bench/bench.ts": ["costs"],
    "node_modules/vitest/vitest.mjs": ["run", "test/openapi/recorded.test.ts", "1"],
  };
  const note = (file: string) => `import { writeFileSync } from "node:fs";
    writeFileSync("ran.json", JSON.stringify([${JSON.stringify(file)}, [...process.argv.slice(2), process.env.RECORD_EXAMPLES ?? []].flat()]));`;
  for (const program of Object.keys(programs)) {
    mkdirSync(dirname(join(root, program)), { recursive: true });
    writeFileSync(join(root, program), note(program));
  }
  expect((await run()).code).toBe(0);
  expect(existsSync(join(root, "ran.json"))).toBe(false);
  for (const [at, [program, parameters]] of Object.entries(programs).entries()) {
    expect((await run(at === 0 ? "--costs" : "--examples")).code).toBe(0);
    expect(JSON.parse(textOf("ran.json"))).toEqual([program, parameters]);
  }
  writeFileSync(join(root, "test/bench/bench.ts"), "process.exitCode = 1");
  await expect(run("--costs")).rejects.toThrow("Command failed");
});

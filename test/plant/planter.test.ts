import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openJsonFile } from "../../infra/local/json-file.ts";
import { UsageError } from "../../infra/tools/cli/command.ts";
import { choosePlaces, readEquivalents } from "./places.ts";
import { plant } from "./plant.ts";
import { type Progress, plantFaults } from "./planter.ts";
import type { RunTests } from "./test-run.ts";

const source = `export const isAllowed = (count: number) => count < 3;
export const isOpen = (hour: number) => hour > 8;
`;
const tree = {
  "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, lib: ["ES5"], types: [] }, include: ["shared"] }),
  "shared/limits.ts": source,
  "test/limits.test.ts": 'import "../shared/limits.ts";',
  "test/hours.test.ts": "",
};
/** The text without which a test fails: that of limits, which is the nearest, and one that imports nothing. */
const needs = { "test/limits.test.ts": "count < 3", "test/hours.test.ts": "8;" };
type Test = keyof typeof needs;

let place: string;
let root: string;
let runs: (readonly [planted: string, tests: readonly string[]])[];

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "place-"));
  root = join(place, "checkout");
  runs = [];
  vi.stubEnv("TMPDIR", join(place, "temporary"));
  for (const folder of ["temporary", "checkout/node_modules"]) mkdirSync(join(place, folder), { recursive: true });
  for (const [file, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  execFileSync("git", ["init", "--quiet"], { cwd: root });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true });
});

const runTests: RunTests = async (copy, tests) => {
  const planted = readFileSync(join(copy, "shared/limits.ts"), "utf8");
  const asked = (tests.length > 0 ? tests : Object.keys(needs)) as Test[];
  const failed = asked.filter((test) => !planted.includes(needs[test]));
  runs.push([planted, tests]);
  return { isGreen: failed.length === 0, failed };
};

function openProgress() {
  const initial: Progress = { seed: "1", count: 60, digest: "", outcomes: {} };
  return openJsonFile(join(place, "progress.json"), initial);
}

function runPlanter(run = runTests) {
  const { signal } = new AbortController();
  return plantFaults({ root, progress: openProgress(), runTests: run, signal, say: () => {} });
}

/** The changed ends of the lines whose fault no test has caught. */
async function survivorsOf(run = runTests) {
  const { survivors } = await runPlanter(run);
  return survivors.map(({ after }) => after.split("=> ")[1]).toSorted();
}

const neverMind = { bail: false, signal: new AbortController().signal };

test("the nearest test catches a fault, or any test that runs when those that passed are planted together", async () => {
  expect(await survivorsOf()).toEqual(["hour >= 8;"]);
  const stored = Object.values(openProgress().value.outcomes).map(({ verdict, tests }) =>
    [verdict, ...tests].join(" "),
  );
  expect(stored.toSorted()).toEqual([
    "caught test/hours.test.ts",
    "caught test/limits.test.ts",
    "caught test/limits.test.ts",
    "passed test/limits.test.ts test/hours.test.ts",
  ]);
  const together = runs.filter(([, tests]) => tests.length === 0).map(([planted]) => planted);
  expect(together).toEqual([">= 16", ">= 8"].map((hour) => source.replace("> 8", hour)));
});

test("faults of which one would replace the other are not planted together", async () => {
  writeFileSync(join(root, "shared/limits.ts"), `${source}export const isBoth = (a: boolean, b: boolean) => a && b;`);
  await runPlanter();
  const together = runs.flatMap(([planted, tests]) => (tests.length === 0 ? [planted.split("=> ").at(-1)] : []));
  expect([...new Set(together)].toSorted()).toEqual(["a;", "b;"]);
});

test("what only a test caught that fails without a fault is not caught", async () => {
  const unsound: RunTests = async (copy, tests) => {
    const run = await runTests(copy, tests, neverMind);
    const failed = tests.includes("test/limits.test.ts") ? ["test/limits.test.ts"] : run.failed;
    return { isGreen: failed.length === 0, failed };
  };
  expect(await survivorsOf(unsound)).toEqual(["count < 6;", "count <= 3;", "hour >= 8;"]);
});

test("a run that ends before any test has caught the fault, unless it ends so without a fault as well", async () => {
  const broken: RunTests = async (copy, tests) => ({ ...(await runTests(copy, tests, neverMind)), failed: [] });
  expect(await survivorsOf(broken)).toEqual(["hour >= 8;"]);
  rmSync(join(place, "progress.json"));
  const never: RunTests = async () => ({ isGreen: false, failed: [] });
  await expect(runPlanter(never)).rejects.toThrow("Not even without a fault does vitest run");
});

test("a killed run leaves the checkout as it was; the next goes on with it, and removes its copy", async () => {
  const program = `
    import { openJsonFile } from ${JSON.stringify(join(import.meta.dirname, "../../infra/local/json-file.ts"))};
    import { plantFaults } from ${JSON.stringify(join(import.meta.dirname, "planter.ts"))};
    let runs = 0;
    const runTests = async () => {
      runs += 1;
      if (runs < 3) return { isGreen: false, failed: ["test/limits.test.ts"] };
      console.log("third");
      return new Promise((resolve) => setInterval(resolve, 2 ** 30));
    };
    const progress = openJsonFile(${JSON.stringify(join(place, "progress.json"))}, ${JSON.stringify(openProgress().value)});
    const { signal } = new AbortController();
    await plantFaults({ root: ${JSON.stringify(root)}, progress, runTests, signal, say: () => {} });`;
  const killed = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(killed.stdout, "data");
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const left = (folder: string) => Object.keys(tree).map((file) => readFileSync(join(folder, file), "utf8"));
  expect(left(root)).toEqual(Object.values(tree));
  const [copy = ""] = readdirSync(join(place, "temporary"));
  expect(left(join(place, "temporary", copy, "tree"))).not.toEqual(Object.values(tree));

  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
  expect((await runPlanter()).planted).toBe(4);
  // Two faults are left to the nearest tests; those then run without a fault.
  expect(runs.findIndex(([text]) => text === source)).toBe(2);
  expect(readdirSync(join(place, "temporary"))).toEqual([]);
});

test("after a change of the checkout, what was caught stays so and the rest is tried again", async () => {
  await runPlanter();
  runs = [];
  writeFileSync(join(root, "test/later.test.ts"), 'import "../shared/limits.ts";');
  await runPlanter();
  const planted = runs.filter(([, tests]) => tests.length > 0).map(([text]) => text);
  expect(planted).toEqual([source.replace("> 8", ">= 8"), source]);
});

test.each([
  ["TypeScript does not refuse", "export const most: 3 = 3;", []],
  [
    "a spread moves only behind a property that it may override",
    "const a: { b?: boolean } = {}; export const c = (b: string, d: string) => ({ b: { ...a, b }, d: { ...a, d } });",
    ["{ b, ...a }"],
  ],
])("places are those where %s", (_, text, texts) => {
  writeFileSync(join(root, "shared/limits.ts"), text);
  expect([...choosePlaces(root, "1")].map(({ text }) => text)).toEqual(texts);
});

test("every equivalent fault that is listed has its place and a reason", () => {
  const checkout = join(import.meta.dirname, "../..");
  const gone = readEquivalents().filter(({ file, before, reason }) => {
    const text = readFileSync(join(checkout, file), "utf8").replace(/\s+/g, " ");
    return !text.includes(before) || reason.length < 20;
  });
  expect(gone).toEqual([]);
});

test.each([
  [["--places", "0"], /from 1/],
  [["--resume", "--seed", "a"], /the other options/],
  [["--plases", "3"], /--help/],
])("%j is a mistake of the call", async (parameters, message) => {
  await expect(plant(parameters)).rejects.toThrow(UsageError);
  await expect(plant(parameters)).rejects.toThrow(message);
});

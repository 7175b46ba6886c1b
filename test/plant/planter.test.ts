import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openJsonFile } from "../../infra/support/json-file.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { expectMistake } from "../tools/machine.ts";
import { choosePlaces, readEquivalents } from "./places.ts";
import { plant } from "./plant.ts";
import { type Progress, plantFaults } from "./planter.ts";
import type { RunTests } from "./test-run.ts";

const sources = {
  "shared/limits.ts": "export const isAllowed = (count: number) => count < 3;\n",
  "shared/hours.ts": "export const isOpen = (hour: number) => hour > 8;\n",
  "shared/days.ts": "export const isWorked = (day: number) => day < 6;\n",
};
const plain = Object.values(sources);
const tree = {
  ...sources,
  "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, lib: ["ES5"], types: [] }, include: ["shared"] }),
  "test/limits.test.ts": 'import "../shared/limits.ts";',
  "test/hours.test.ts": 'import "../shared/hours.ts";',
  "test/calendar.test.ts": "",
};
/** The texts without which a test fails: that of limits, which is the nearest, and one that imports nothing. */
const needs: Readonly<Record<string, readonly string[]>> = {
  "test/limits.test.ts": ["count < 3"],
  "test/calendar.test.ts": ["8;", "6;"],
};

let place: string;
let root: string;
/** The sources with a fault, and the tests, of each run. */
let runs: (readonly [planted: readonly string[], tests: readonly string[]])[];

beforeEach(() => {
  place = newFolder();
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
});

const runTests: RunTests = async (copy, tests) => {
  const planted = Object.keys(sources).map((file) => readFileSync(join(copy, file), "utf8"));
  const asked = tests.length > 0 ? tests : Object.keys(needs);
  const failed = asked.filter((test) => !(needs[test] ?? []).every((need) => planted.join("").includes(need)));
  runs.push([planted.filter((text) => !plain.includes(text)), tests]);
  return { isGreen: failed.length === 0, failed };
};

function openProgress() {
  const initial: Progress = { seed: "1", count: 60, digest: "", unsound: [], outcomes: {} };
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

const neverMind = new AbortController().signal;

test("the nearest test catches a fault, or any test that runs when those that passed are planted together", async () => {
  expect(await survivorsOf()).toEqual(["day <= 6;", "hour >= 8;"]);
  expect(Object.values(openProgress().value.outcomes).toSorted()).toEqual([
    ...Array(4).fill("caught"),
    "passed",
    "passed",
  ]);
  const [first, ...together] = runs.filter(([, tests]) => tests.length === 0).map(([planted]) => planted.length);
  // At first every test runs without a fault, then with one in each of two files.
  expect([first, together[0], Math.max(...together)]).toEqual([0, 2, 2]);
  // Both figures fail the same test: each alone is tried with it.
  const alone = runs.filter(([, tests]) => tests.includes("test/calendar.test.ts")).map(([planted]) => planted.length);
  expect(new Set(alone)).toEqual(new Set([1]));
});

test("what only a test caught that fails without a fault is not caught", async () => {
  const unsound: RunTests = async (copy, tests) => {
    const { failed } = await runTests(copy, tests, neverMind);
    const isRun = tests.length === 0 || tests.includes("test/limits.test.ts");
    const all = new Set([...failed, ...(isRun ? ["test/limits.test.ts"] : [])]);
    return { isGreen: all.size === 0, failed: [...all] };
  };
  expect(await survivorsOf(unsound)).toEqual(["count < 6;", "count <= 3;", "day <= 6;", "hour >= 8;"]);
});

test("a run that ends before any test has caught the fault, unless it ends so without a fault as well", async () => {
  const broken: RunTests = async (copy, tests) => ({ ...(await runTests(copy, tests, neverMind)), failed: [] });
  expect(await survivorsOf(broken)).toEqual(["day <= 6;", "hour >= 8;"]);
  rmSync(join(place, "progress.json"));
  const never: RunTests = async () => ({ isGreen: false, failed: [] });
  await expect(runPlanter(never)).rejects.toThrow("Not even without a fault does vitest run");
});

test("a killed run leaves the checkout as it was; the next goes on with it, and removes its copy", async () => {
  const program = `
    import { openJsonFile } from ${JSON.stringify(join(import.meta.dirname, "../../infra/support/json-file.ts"))};
    import { plantFaults } from ${JSON.stringify(join(import.meta.dirname, "planter.ts"))};
    let runs = 0;
    const runTests = async () => {
      runs += 1;
      if (runs === 1) return { isGreen: true, failed: [] };
      if (runs < 4) return { isGreen: false, failed: ["test/limits.test.ts"] };
      console.log("fourth");
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
  expect((await runPlanter()).planted).toBe(6);
  // Two faults are left to the nearest tests; what they let through is planted together.
  expect(runs.findIndex(([, tests]) => tests.length === 0)).toBe(2);
  expect(readdirSync(join(place, "temporary"))).toEqual([]);
});

test("after a change of the checkout, what was caught stays so and the rest is tried again", async () => {
  await runPlanter();
  runs = [];
  writeFileSync(join(root, "test/later.test.ts"), 'import "../shared/hours.ts";');
  await runPlanter();
  expect(runs.filter(([, tests]) => tests.length > 0).map(([planted]) => planted)).toEqual([
    ["export const isOpen = (hour: number) => hour >= 8;\n"],
  ]);
});

test("places are those that TypeScript does not refuse", () => {
  writeFileSync(join(root, "shared/limits.ts"), "export const most: 3 = 3; export const least = 3;");
  const places = [...choosePlaces(root, "1")].filter(({ file }) => file === "shared/limits.ts");
  expect(places.map(({ start }) => start)).toEqual([47]);
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
  await expectMistake(plant(parameters), message);
});

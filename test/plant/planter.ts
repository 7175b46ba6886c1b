import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonFile } from "../../infra/local/json-file.ts";
import { makeTemporaryFolder } from "../../infra/local/temporary-folder.ts";
import { copyCheckout } from "../support/service/checkout-copy.ts";
import { createTestFinder } from "./nearest-tests.ts";
import { type Choice, choosePlaces, idOf, type Place, plantInto } from "./places.ts";
import type { RunTests, TestRun } from "./test-run.ts";

/** The tests' verdict on a planted fault. */
export interface Outcome {
  /** `passed` of a fault that the nearest tests let through, until all tests have run. */
  readonly verdict: "caught" | "passed" | "survived";
  /** The test files that failed, or those that were tried first. */
  readonly tests: readonly string[];
}

/** The stored state of a run, so that a later one can go on with it. */
export interface Progress extends Omit<Choice, "root"> {
  readonly count: number;
  /** Of every file of the tree. */
  digest: string;
  outcomes: Record<string, Outcome>;
}

/** A run of the planter. */
export interface Planting {
  /** The checkout, of which only the copy is changed. */
  readonly root: string;
  readonly progress: JsonFile<Progress>;
  readonly runTests: RunTests;
  readonly signal: AbortSignal;
  say(line: string): void;
}

/** So many of the nearest test files try each fault at first, and so many in all before it is planted together with others. */
const nearest = [4, 16];
/** The nearest of the files that fail with many faults planted, which each of the faults is then tried with alone. */
const mostAsked = 12;
/** It reads what all other tests have recorded, and passes alone. */
const readsOthers = "test/system/rights/";
const nothingRan: TestRun = { isGreen: true, failed: [] };

/** Plants one fault after the other, then together those that the nearest tests let through. */
export async function plantFaults(planting: Planting): Promise<readonly (Place & Outcome)[]> {
  const folder = makeTemporaryFolder("plant", tmpdir());
  try {
    return await new Planter(planting, join(folder.path, "tree")).plantAll();
  } finally {
    folder.remove();
  }
}

class Planter {
  readonly #planting: Planting;
  readonly #copy;
  readonly #testsNear;
  readonly #places: Place[] = [];
  /** Whether test files pass alone and without a fault. */
  readonly #sound = new Map<string, boolean>();

  constructor(planting: Planting, path: string) {
    this.#planting = planting;
    this.#copy = copyCheckout(path, planting.root);
    this.#testsNear = createTestFinder(path);
  }

  async plantAll(): Promise<readonly (Place & Outcome)[]> {
    const { progress } = this.#planting;
    this.#forgetIfChanged();
    const { seed, files, count } = progress.value;
    for (const place of choosePlaces({ root: this.#copy.path, seed, files })) {
      this.#places.push(place);
      if (isOpen(this.#outcomeOf(place))) await this.#tryNearest(place);
      if (this.#places.length === count) break;
    }
    await this.#doubtCaught();
    for (const group of apart(this.#withVerdict("passed"))) await this.#tryTogether(group);
    await this.#doubtCaught();
    for (const place of this.#withVerdict("passed")) this.#note(place, "survived", this.#testsOf(place));
    return this.#places.map((place) => ({ ...place, verdict: "survived", tests: [], ...this.#outcomeOf(place) }));
  }

  async #tryNearest(place: Place): Promise<void> {
    const near = this.#testsNear(place.file);
    const turn = `${this.#places.length}/${this.#planting.progress.value.count}`;
    for (const most of nearest) {
      const tried = this.#testsOf(place);
      const tests = near.slice(0, most).filter((test) => !tried.includes(test));
      if (tests.length > 0 && (await this.#isCaughtAlone(place, tests, turn))) return;
      this.#note(place, "passed", [...tried, ...tests]);
    }
  }

  /** Plants one fault and runs tests up to the first that fails. */
  async #isCaughtAlone(place: Place, tests: readonly string[], turn: string): Promise<boolean> {
    const began = performance.now();
    const { isGreen, failed } = await this.#runWith([place], tests);
    if (!isGreen && failed.length === 0) await this.#requireTestsThatRun(tests);
    if (!isGreen) this.#note(place, "caught", failed);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const word = isGreen ? "passed" : "caught";
    this.#planting.say(
      `${turn.padStart(7)} ${word}  ${place.kind.padEnd(10)}  ${place.file}:${place.line}  ${seconds} s`,
    );
    return !isGreen;
  }

  /** A run that ends before any test has caught the fault only if the same tests run without it. */
  async #requireTestsThatRun(tests: readonly string[]): Promise<void> {
    const { isGreen, failed } = await this.#runWith([], tests);
    if (!isGreen && failed.length === 0)
      throw new Error(`Not even without a fault does vitest run: ${tests.join(" ")}`);
  }

  /** A test that fails without a fault has caught none: what it alone caught is tried with other tests, or has survived. */
  async #doubtCaught(): Promise<void> {
    const caught = this.#withVerdict("caught").map((place) => ({ place, tests: this.#testsOf(place) }));
    const asked = [...new Set(caught.flatMap(({ tests }) => tests))];
    const unknown = asked.filter((test) => !this.#sound.has(test) && !test.startsWith(readsOthers));
    const { failed } = unknown.length > 0 ? await this.#runWith([], unknown) : nothingRan;
    for (const test of failed) this.#planting.say(`fails without a fault: ${test}`);
    for (const test of unknown) this.#sound.set(test, !failed.includes(test));
    for (const { place, tests } of caught) {
      if (tests.length > 0 && tests.every((test) => this.#sound.get(test) === false))
        this.#note(place, "passed", tests);
    }
  }

  /**
   * Plants faults at once and runs every test. Of those that fail, one may fail for any of the faults, and hide that it would for
   * another: each fault alone is tried with the nearest of them, and those that are left are planted together again.
   */
  async #tryTogether(group: readonly Place[]): Promise<void> {
    this.#planting.say(`${group.length} together with every test`);
    const { isGreen, failed } = await this.#runWith(group, []);
    if (isGreen) return;
    const asked = group.map((place) => ({ place, untried: this.#untriedOf(failed, place) }));
    if (asked.every(({ untried }) => untried.length === 0)) return this.#tryHalves(group, failed);
    const left: Place[] = [];
    for (const [index, { place, untried }] of asked.entries()) {
      const tests = untried.slice(0, mostAsked);
      if (tests.length > 0 && (await this.#isCaughtAlone(place, tests, `${index + 1}/${group.length}`))) continue;
      this.#note(place, "passed", [...this.#testsOf(place), ...tests]);
      if (untried.length > tests.length) left.push(place);
    }
    if (left.length > 0) await this.#tryTogether(left);
  }

  /** Those of the failed test files that a fault was not tried with, the nearest ones first. */
  #untriedOf(failed: readonly string[], place: Place): string[] {
    const tried = this.#testsOf(place);
    const near = this.#testsNear(place.file);
    const rankOf = (test: string) => (near.includes(test) ? near.indexOf(test) : near.length);
    return failed
      .filter((test) => !tried.includes(test) && !test.startsWith(readsOthers))
      .toSorted((one, other) => rankOf(one) - rankOf(other));
  }

  async #tryHalves(group: readonly Place[], failed: readonly string[]): Promise<void> {
    const [only, ...others] = group;
    if (only && others.length === 0) return this.#note(only, "caught", failed);
    const half = Math.ceil(group.length / 2);
    await this.#tryTogether(group.slice(0, half));
    await this.#tryTogether(group.slice(half));
  }

  async #runWith(places: readonly Place[], tests: readonly string[]): Promise<TestRun> {
    const { runTests, signal } = this.#planting;
    const originals = new Map(places.map(({ file }) => [file, this.#copy.read(file)]));
    for (const [file, text] of originals) {
      const own = places.filter((place) => place.file === file);
      this.#copy.save(file, plantInto(text, own));
    }
    try {
      return await runTests(this.#copy.path, tests, { bail: places.length === 1, signal });
    } finally {
      for (const [file, text] of originals) this.#copy.save(file, text);
    }
  }

  /** With other files a test may catch what none has caught. */
  #forgetIfChanged(): void {
    const { value, save } = this.#planting.progress;
    const digest = digestTree(this.#copy.path);
    const outcomes = Object.entries(value.outcomes);
    if (digest !== value.digest) {
      value.outcomes = Object.fromEntries(outcomes.filter(([, { verdict }]) => verdict === "caught"));
    }
    value.digest = digest;
    save();
  }

  #withVerdict(verdict: Outcome["verdict"]): Place[] {
    return this.#places.filter((place) => this.#outcomeOf(place)?.verdict === verdict);
  }

  #outcomeOf(place: Place): Outcome | undefined {
    return this.#planting.progress.value.outcomes[idOf(place)];
  }

  #testsOf(place: Place): readonly string[] {
    return this.#outcomeOf(place)?.tests ?? [];
  }

  #note(place: Place, verdict: Outcome["verdict"], tests: readonly string[]): void {
    const { value, save } = this.#planting.progress;
    value.outcomes[idOf(place)] = { verdict, tests };
    save();
  }
}

function isOpen(outcome: Outcome | undefined): boolean {
  return outcome === undefined || outcome.verdict === "passed";
}

/** Groups in which no fault overlaps another. */
function apart(places: readonly Place[]): Place[][] {
  const groups: Place[][] = [];
  for (const place of places) {
    const overlaps = (other: Place) => other.file === place.file && other.start < place.end && place.start < other.end;
    const group = groups.find((each) => !each.some(overlaps));
    if (group) group.push(place);
    else groups.push([place]);
  }
  return groups;
}

function digestTree(path: string): string {
  const digest = createHash("sha256");
  const files = globSync("{*.json,*.ts,{shared,functions,infra,test,events}/**/*.*}", { cwd: path }).sort();
  for (const file of files)
    digest
      .update(file)
      .update("\0")
      .update(readFileSync(join(path, file)));
  return digest.digest("hex");
}

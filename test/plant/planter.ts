import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonFile } from "../../infra/local/json-file.ts";
import { makeTemporaryFolder } from "../../infra/local/temporary-folder.ts";
import { copyCheckout } from "../support/service/checkout-copy.ts";
import { createTestFinder } from "./nearest-tests.ts";
import { choosePlaces, idOf, type Place, plantInto } from "./places.ts";
import type { RunTests, TestRun } from "./test-run.ts";

/** The test files that a fault was tried with alone and that passed, or those that caught it. */
interface Outcome {
  readonly verdict: "caught" | "passed";
  readonly tests: readonly string[];
}

/** The stored state of a run, so that a later one can go on with it. */
export interface Progress {
  readonly seed: string;
  readonly count: number;
  /** Of every file of the tree. */
  digest: string;
  outcomes: Record<string, Outcome>;
}

/** The number of planted faults, and those that no test has caught. */
interface Planted {
  readonly planted: number;
  readonly survivors: readonly Place[];
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
/** They read what all other tests have recorded, and pass alone. */
const readOthers = "test/system/rights/";

/** Plants one fault after the other, then together those that the nearest tests let through. */
export async function plantFaults(planting: Planting): Promise<Planted> {
  const folder = makeTemporaryFolder("plant", tmpdir());
  try {
    return await new Planter(planting, join(folder.path, "tree")).plantAll();
  } finally {
    folder.remove();
  }
}

class Planter {
  readonly #planting: Planting;
  readonly #progress: Progress;
  readonly #copy;
  readonly #testsNear;
  readonly #places: Place[] = [];
  /** Whether test files pass without a fault. */
  readonly #sound = new Map<string, boolean>();

  constructor(planting: Planting, path: string) {
    this.#planting = planting;
    this.#progress = planting.progress.value;
    this.#copy = copyCheckout(path, planting.root);
    this.#testsNear = createTestFinder(path);
  }

  async plantAll(): Promise<Planted> {
    this.#forgetIfChanged();
    const { seed, count } = this.#progress;
    for (const place of choosePlaces(this.#copy.path, seed)) {
      const isLast = this.#places.push(place) === count;
      if (!this.#isCaught(place)) await this.#tryNearest(place);
      if (isLast) break;
    }
    await this.#doubtCaught();
    await this.#tryTogether(this.#places.filter((place) => !this.#isCaught(place)));
    await this.#doubtCaught();
    return { planted: this.#places.length, survivors: this.#places.filter((place) => !this.#isCaught(place)) };
  }

  async #tryNearest(place: Place): Promise<void> {
    const near = this.#testsNear(place.file);
    for (const most of nearest) {
      if (await this.#isCaughtAlone(place, this.#untriedOf(near.slice(0, most), place))) return;
    }
  }

  /** Plants one fault and runs tests up to the first that fails. A run that ends before any test fails stands for all of them. */
  async #isCaughtAlone(place: Place, tests: readonly string[]): Promise<boolean> {
    if (tests.length === 0) return false;
    const { isGreen, failed } = await this.#runWith([place], tests);
    if (isGreen) this.#note(place, "passed", [...this.#outcomeOf(place).tests, ...tests]);
    else this.#note(place, "caught", failed.length > 0 ? failed : tests);
    const turn = `${this.#places.indexOf(place) + 1}/${this.#progress.count}`;
    this.#planting.say(
      `${turn.padStart(7)} ${isGreen ? "passed" : "caught"}  ${place.kind}  ${place.file}:${place.line}`,
    );
    return !isGreen;
  }

  /** A test that fails without a fault has caught none: what it alone caught is tried with other tests, or has survived. */
  async #doubtCaught(): Promise<void> {
    const caught = this.#places.flatMap((place) =>
      this.#isCaught(place) ? [{ place, tests: this.#outcomeOf(place).tests }] : [],
    );
    const unknown = [...new Set(caught.flatMap(({ tests }) => tests))].filter((test) => !this.#sound.has(test));
    if (unknown.length > 0) {
      const needsAll = unknown.some((test) => test.startsWith(readOthers));
      const { isGreen, failed } = await this.#runWith([], needsAll ? [] : unknown);
      if (!isGreen && failed.length === 0) throw new Error("Not even without a fault does vitest run");
      for (const test of failed) this.#planting.say(`fails without a fault: ${test}`);
      for (const test of unknown) this.#sound.set(test, !failed.includes(test));
    }
    const doubted = caught.filter(({ tests }) => tests.every((test) => this.#sound.get(test) === false));
    for (const { place, tests } of doubted) this.#note(place, "passed", tests);
  }

  /**
   * Plants faults at once and runs every test. Of those that fail, one may fail for any of the faults, and hide that it would for
   * another: each fault alone is tried with the nearest of them, and those that are left are planted together again.
   */
  async #tryTogether(places: readonly Place[]): Promise<void> {
    const group = apart(places);
    const [first, ...others] = group;
    if (!first) return;
    const left = places.filter((place) => !group.includes(place));
    this.#planting.say(`${group.length} together with every test`);
    const { isGreen, failed } = await this.#runWith(group, []);
    const asked = group.map((place) => ({ place, tests: this.#untriedOf(failed, place).slice(0, mostAsked) }));
    if (asked.some(({ tests }) => tests.length > 0)) {
      for (const { place, tests } of asked) if (!(await this.#isCaughtAlone(place, tests))) left.push(place);
    } else if (!isGreen && others.length === 0) {
      this.#note(first, "caught", failed.length > 0 ? failed : [readOthers]);
    } else if (!isGreen) {
      const middle = Math.ceil(group.length / 2);
      for (const half of [group.slice(0, middle), group.slice(middle)]) await this.#tryTogether(half);
    }
    await this.#tryTogether(left);
  }

  /** Those of the test files that a fault was not tried with alone, the nearest ones first. */
  #untriedOf(tests: readonly string[], place: Place): string[] {
    const { tests: tried } = this.#outcomeOf(place);
    const near = this.#testsNear(place.file);
    const untried = tests.filter((test) => !tried.includes(test) && !test.startsWith(readOthers));
    return [...near.filter((test) => untried.includes(test)), ...untried.filter((test) => !near.includes(test))];
  }

  async #runWith(places: readonly Place[], tests: readonly string[]): Promise<TestRun> {
    const { runTests, signal } = this.#planting;
    const planted = [...Map.groupBy(places, ({ file }) => file)];
    const texts = planted.map(([file, faults]) => ({ file, text: this.#copy.read(file), faults }));
    for (const { file, text, faults } of texts) this.#copy.save(file, plantInto(text, faults));
    try {
      return await runTests(this.#copy.path, tests, { bail: places.length === 1, signal });
    } finally {
      for (const { file, text } of texts) this.#copy.save(file, text);
    }
  }

  /** With other files a test may catch what none has caught. */
  #forgetIfChanged(): void {
    const { value, save } = this.#planting.progress;
    const digest = digestTree(this.#copy.path);
    const isKept = ({ verdict }: Outcome) => verdict === "caught" || digest === value.digest;
    value.outcomes = Object.fromEntries(Object.entries(value.outcomes).filter(([, outcome]) => isKept(outcome)));
    value.digest = digest;
    save();
  }

  #isCaught(place: Place): boolean {
    return this.#outcomeOf(place).verdict === "caught";
  }

  #outcomeOf(place: Place): Outcome {
    return this.#progress.outcomes[idOf(place)] ?? { verdict: "passed", tests: [] };
  }

  #note(place: Place, verdict: Outcome["verdict"], tests: readonly string[]): void {
    this.#progress.outcomes[idOf(place)] = { verdict, tests };
    this.#planting.progress.save();
  }
}

/** The places that overlap none before them. */
function apart(places: readonly Place[]): Place[] {
  return places.filter(({ file, start, end }, at) =>
    places.slice(0, at).every((other) => other.file !== file || other.end <= start || end <= other.start),
  );
}

function digestTree(path: string): string {
  const digest = createHash("sha256");
  const files = globSync("{*.json,*.ts,{shared,functions,infra,test,events}/**/*.*}", { cwd: path }).sort();
  for (const file of files) digest.update(`${file}\0`).update(readFileSync(join(path, file)));
  return digest.digest("hex");
}

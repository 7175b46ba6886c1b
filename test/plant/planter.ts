import { globSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonFile } from "../../infra/support/json-file.ts";
import { makeTemporaryFolder } from "../../infra/support/temporary-folder.ts";
import { copyCheckout } from "../support/service/checkout-copy.ts";
import { createTestFinder } from "./nearest-tests.ts";
import { choosePlaces, digestOf, idOf, type Place, plantInto } from "./places.ts";
import type { RunTests, TestRun } from "./test-run.ts";

/** The stored state of a run, so that a later one can go on with it. */
export interface Progress {
  readonly seed: string;
  readonly count: number;
  /** Of every file of the tree. */
  digest: string;
  /** Test files that fail without a fault, and so catch none. */
  unsound: readonly string[];
  /** Whether a test has caught a fault, or its nearest tests have passed. */
  outcomes: Record<string, "caught" | "passed">;
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
/** The most test files that a fault is tried with at a time, so that the nearest of many come first. */
const mostAsked = 12;

/**
 * Plants one fault after the other, then together those that the nearest tests let through. Returns the number of planted faults,
 * and those that no test has caught.
 */
export async function plantFaults(planting: Planting) {
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

  constructor(planting: Planting, path: string) {
    this.#planting = planting;
    this.#progress = planting.progress.value;
    this.#copy = copyCheckout(path, planting.root);
    this.#testsNear = createTestFinder(path);
  }

  async plantAll() {
    await this.#runWithoutFault();
    const { seed, count, outcomes } = this.#progress;
    for (const place of choosePlaces(this.#copy.path, seed)) {
      if (this.#places.length === count) break;
      this.#places.push(place);
      const near = this.#testsNear(place.file).filter((test) => !this.#progress.unsound.includes(test));
      const parts = nearest.map((most, at) => near.slice(nearest[at - 1] ?? 0, most));
      if (!outcomes[idOf(place)]) await this.#try(place, ...parts.filter((tests) => tests.length > 0));
    }
    await this.#tryTogether(this.#places.filter(this.#isUncaught));
    return { planted: this.#places.length, survivors: this.#places.filter(this.#isUncaught) };
  }

  /** With other files a test may catch what none has caught, and another one may fail without a fault. */
  async #runWithoutFault(): Promise<void> {
    const folders = "{*.json,*.ts,{shared,functions,infra,test,events}/**/*.*}";
    const files = globSync(folders, { cwd: this.#copy.path }).sort();
    const digest = digestOf(...files.flatMap((file) => [file, this.#copy.read(file)]));
    if (digest === this.#progress.digest) return;
    const caught = Object.entries(this.#progress.outcomes).filter(([, verdict]) => verdict === "caught");
    Object.assign(this.#progress, { digest: "", outcomes: Object.fromEntries(caught), unsound: [] });
    const { isGreen, failed } = await this.#runWith([], []);
    if (!isGreen && failed.length === 0) throw new Error("Not even without a fault does vitest run");
    for (const test of failed) this.#planting.say(`fails without a fault: ${test}`);
    Object.assign(this.#progress, { digest, unsound: failed });
    this.#planting.progress.save();
  }

  /** Plants a fault and runs the parts of test files, up to the first that fails. An empty part is every test. */
  async #try(place: Place, ...parts: (readonly string[])[]): Promise<void> {
    let isGreen = true;
    for (const tests of parts) isGreen &&= (await this.#runWith([place], tests)).isGreen;
    const verdict = isGreen ? "passed" : "caught";
    this.#progress.outcomes[idOf(place)] = verdict;
    this.#planting.progress.save();
    const turn = `${this.#places.indexOf(place) + 1}/${this.#progress.count}`;
    this.#planting.say(`${turn.padStart(7)} ${verdict}  ${place.kind}  ${place.file}:${place.line}`);
  }

  /**
   * Plants one fault a file at once and runs every test. Of those that fail, one may fail for any of the faults, and hide that it
   * would for another: each fault alone is tried with the nearest of them, and what is left is planted together again. If none is
   * caught so, each is tried alone with every test.
   */
  async #tryTogether(left: readonly Place[]): Promise<void> {
    if (left.length === 0) return;
    const group = [...new Map(left.map((place) => [place.file, place])).values()];
    this.#planting.say(`${group.length} together with every test`);
    const { isGreen, failed } = await this.#runWith(group, []);
    for (const place of group) {
      const near = this.#testsNear(place.file);
      const known = near.slice(0, nearest.at(-1));
      const asked = [...new Set([...near, ...failed])].filter((test) => failed.includes(test) && !known.includes(test));
      if (asked.length > 0) await this.#try(place, asked.slice(0, mostAsked));
    }
    const isSettled = group.every(this.#isUncaught);
    if (isSettled && !isGreen) for (const place of group) await this.#try(place, []);
    await this.#tryTogether(left.filter((place) => this.#isUncaught(place) && !(isSettled && group.includes(place))));
  }

  /** Runs test files with faults in different files; every test if none is named. Those that fail without a fault do not count. */
  async #runWith(places: readonly Place[], tests: readonly string[]): Promise<TestRun> {
    const texts = places.map((place) => ({ place, text: this.#copy.read(place.file) }));
    for (const { place, text } of texts) this.#copy.save(place.file, plantInto(text, [place]));
    try {
      const run = await this.#planting.runTests(this.#copy.path, tests, this.#planting.signal);
      const failed = run.failed.filter((test) => !this.#progress.unsound.includes(test));
      return { isGreen: failed.length === 0 && (run.isGreen || run.failed.length > 0), failed };
    } finally {
      for (const { place, text } of texts) this.#copy.save(place.file, text);
    }
  }

  readonly #isUncaught = (place: Place) => this.#progress.outcomes[idOf(place)] !== "caught";
}

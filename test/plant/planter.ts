import { globSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonFile } from "../../infra/local/json-file.ts";
import { makeTemporaryFolder } from "../../infra/local/temporary-folder.ts";
import { copyCheckout } from "../support/service/checkout-copy.ts";
import { createTestFinder } from "./nearest-tests.ts";
import { choosePlaces, digestOf, idOf, type Place, plantInto } from "./places.ts";
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
/** The most test files that a fault is tried with at a time, so that the nearest of many come first. */
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
      for (const most of nearest) await this.#tryAlone(place, this.#testsNear(place.file).slice(0, most));
      if (isLast) break;
    }
    await this.#doubtCaught();
    await this.#tryTogether(this.#places);
    await this.#doubtCaught();
    return { planted: this.#places.length, survivors: this.#places.filter((place) => !this.#isCaught(place)) };
  }

  /**
   * Plants a fault that none has caught, and runs those of the tests that it was not tried with, up to the first that fails. If the
   * run ends before that, all of them have caught it.
   */
  async #tryAlone(place: Place, tests: readonly string[]): Promise<void> {
    const untried = this.#untriedOf(place, tests);
    if (this.#isCaught(place) || untried.length === 0) return;
    const { isGreen, failed } = await this.#runWith([place], untried);
    if (isGreen) this.#note(place, "passed", [...this.#outcomeOf(place).tests, ...untried]);
    else this.#note(place, "caught", failed.length > 0 ? failed : untried);
    const turn = `${this.#places.indexOf(place) + 1}/${this.#progress.count}`;
    this.#planting.say(
      `${turn.padStart(7)} ${isGreen ? "passed" : "caught"}  ${place.kind}  ${place.file}:${place.line}`,
    );
  }

  /** A test that fails without a fault has caught none: what it alone caught is tried with other tests, or has survived. */
  async #doubtCaught(): Promise<void> {
    const caught = this.#places.filter((place) => this.#isCaught(place));
    const tests = new Set(caught.flatMap((place) => this.#outcomeOf(place).tests));
    const unknown = [...tests].filter((test) => !this.#sound.has(test));
    if (unknown.length > 0) {
      const needsAll = unknown.some((test) => test.startsWith(readOthers));
      const { isGreen, failed } = await this.#runWith([], needsAll ? [] : unknown);
      if (!isGreen && failed.length === 0) throw new Error("Not even without a fault does vitest run");
      for (const test of failed) this.#planting.say(`fails without a fault: ${test}`);
      for (const test of unknown) this.#sound.set(test, !failed.includes(test));
    }
    for (const place of caught) {
      const { tests } = this.#outcomeOf(place);
      if (tests.every((test) => this.#sound.get(test) === false)) this.#note(place, "passed", tests);
    }
  }

  /**
   * Plants faults at once and runs every test. Of those that fail, one may fail for any of the faults, and hide that it would for
   * another: each fault alone is tried with the nearest of them, and those that are left are planted together again.
   */
  async #tryTogether(places: readonly Place[]): Promise<void> {
    const group = apart(places.filter((place) => !this.#isCaught(place)));
    const [first, ...others] = group;
    if (!first) return;
    this.#planting.say(`${group.length} together with every test`);
    const { isGreen, failed } = await this.#runWith(group, []);
    if (group.some((place) => this.#untriedOf(place, failed).length > 0)) {
      for (const place of group) await this.#tryAlone(place, failed);
      return this.#tryTogether(places);
    }
    if (!isGreen && others.length === 0) this.#note(first, "caught", failed.length > 0 ? failed : [readOthers]);
    if (!isGreen && others.length > 0) {
      const middle = Math.ceil(group.length / 2);
      for (const half of [group.slice(0, middle), group.slice(middle)]) await this.#tryTogether(half);
    }
    await this.#tryTogether(places.filter((place) => !group.includes(place)));
  }

  /** The nearest of the test files that a fault was not tried with alone. */
  #untriedOf(place: Place, tests: readonly string[]): string[] {
    const { tests: tried } = this.#outcomeOf(place);
    const near = this.#testsNear(place.file);
    const mayNotice = (test: string) => !test.startsWith(readOthers) && this.#sound.get(test) !== false;
    const untried = tests.filter((test) => !tried.includes(test) && mayNotice(test));
    const far = untried.filter((test) => !near.includes(test));
    return [...near.filter((test) => untried.includes(test)), ...far].slice(0, mostAsked);
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
    const files = globSync("{*.json,*.ts,{shared,functions,infra,test,events}/**/*.*}", {
      cwd: this.#copy.path,
    }).sort();
    const digest = digestOf(...files.flatMap((file) => [file, this.#copy.read(file)]));
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

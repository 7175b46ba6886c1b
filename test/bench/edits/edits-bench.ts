import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { takeLock } from "../../../infra/local/machine-lock.ts";
import { type CheckoutCopy, copyCheckout } from "../../support/service/checkout-copy.ts";
import { makeDirectory, runTool, startByNpm } from "../../support/service/local-machine.ts";
import { type Figure, median, reportFigures } from "../figures.ts";

/** The most time from an edit until an answer shows it, and the most memory of the machine when nobody has called for 10 seconds. */
const bars = { medianMilliseconds: 500, worstMilliseconds: 1_000, megabytes: 350 };

const quietMilliseconds = 10_000;
const betweenMilliseconds = 500;
const patienceMilliseconds = 20_000;

const handlerFile = "functions/jobs/get-job.ts";
const otherHandlerFile = "functions/finance/get-invoice.ts";
const sharedFile = "shared/logger.ts";
const contractFile = "shared/contract/jobs.ts";

/** A running machine of the copy: what it answers, as text. */
interface Probe {
  ask(path: string): Promise<string>;
  copy: CheckoutCopy;
}

interface Kind {
  name: string;
  file: string;
  paths: readonly string[];
  edited(text: string, mark: string): string;
}

const kinds: readonly Kind[] = [
  {
    name: "a handler",
    file: handlerFile,
    paths: ["/api/v1/jobs/1"],
    edited: (text, mark) => text.replace("title: String(", `title: "${mark} " + String(`),
  },
  {
    name: "a file that two functions and a consumer use",
    file: sharedFile,
    paths: ["/api/v1/jobs/1", "/api/v1/finance/invoices/1"],
    edited: (text, mark) => `${text}\nObject.assign(globalThis, { edit: "${mark}" });\n`,
  },
  {
    name: "an entry of the contract",
    file: contractFile,
    paths: ["/api/v1/openapi.json"],
    edited: (text, mark) => text.replace('summary: "Shows a job"', `summary: "Shows a job, ${mark}"`),
  },
];

/**
 * Starts the local machine of a copy of the checkout, and measures from the moment that an edited file takes its place until
 * the first answer that shows it, nothing being asked in between; then the memory. False where a bar is not kept.
 */
export async function benchEdits(rounds: number, say: (text: string) => void): Promise<boolean> {
  const copy = copyCheckout();
  makeVisible(copy);
  const directory = makeDirectory();
  try {
    const { baseUrl, pid, kill } = await startByNpm(directory.path, copy.path);
    try {
      const ask = await openProbe(baseUrl, directory.path);
      return reportFigures(await measure({ ask, copy }, rounds, pid), say);
    } finally {
      kill("SIGTERM");
      await untilFree(directory.path);
    }
  } finally {
    directory.remove();
    copy.remove();
  }
}

async function measure(probe: Probe, rounds: number, pid: number): Promise<Figure[]> {
  const memory = async (when: string): Promise<Figure> => {
    await pause(quietMilliseconds);
    return { name: `memory of all processes ${when}`, value: memoryOfTree(pid), unit: "MB", atMost: bars.megabytes };
  };
  const figures = [await memory("after the start")];
  for (const kind of kinds) {
    const times: number[] = [];
    await Promise.all(kind.paths.map(probe.ask));
    for (let round = 1; round <= rounds; round += 1) {
      times.push(await timeEdit(kind, `edit-${round}-`, probe));
      await pause(betweenMilliseconds);
    }
    const { medianMilliseconds, worstMilliseconds } = bars;
    figures.push(
      { name: `${kind.name}, median of ${rounds}`, value: median(times), unit: "ms", atMost: medianMilliseconds },
      { name: `${kind.name}, worst`, value: Math.max(...times), unit: "ms", atMost: worstMilliseconds },
    );
  }
  return [...figures, await memory("after the edits")];
}

/** Waits until a machine has ended, whoever ended it. */
async function untilFree(directory: string): Promise<void> {
  for (;;) {
    const release = takeLock(directory);
    release?.();
    if (release) return;
    await pause(100);
  }
}

async function timeEdit({ file, paths, edited }: Kind, mark: string, { ask, copy }: Probe): Promise<number> {
  const text = copy.read(file);
  const changed = edited(text, mark);
  if (changed === text) throw new Error(`The edit of ${file} changes nothing: the benchmark is older than the file`);
  copy.save(file, changed);
  const began = performance.now();
  await Promise.all(paths.map((path) => untilShown(() => ask(path), mark)));
  const milliseconds = performance.now() - began;
  copy.save(file, text);
  return milliseconds;
}

async function untilShown(ask: () => Promise<string>, mark: string): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  while (!(await ask()).includes(mark)) {
    if (performance.now() > deadline) throw new Error(`No answer shows ${mark}`);
  }
}

/** Has two functions show in their answers what the shared file sets. */
function makeVisible(copy: CheckoutCopy): void {
  const shown = "title: String((globalThis as { edit?: string }).edit)";
  const job = copy
    .read(handlerFile)
    .replace('job: { ...toFields<"JOBS">(stored),', `job: { ...toFields<"JOBS">(stored), ${shown},`);
  const invoice = copy
    .read(otherHandlerFile)
    .replace(
      /invoice: (toFields<"INVOICES">\(await requireRecord\(.*\)\)),/,
      `invoice: { ...$1, ${shown.replace("title", "number")} },`,
    );
  copy.save(handlerFile, job);
  copy.save(otherHandlerFile, invoice);
}

async function openProbe(baseUrl: string, directory: string): Promise<Probe["ask"]> {
  const parameters = ["--as", "admin@workforce.example"];
  const { stdout } = await runTool("infra/tools/token.ts", parameters, directory);
  const headers = { authorization: `Bearer ${stdout.trim()}` };
  return async (path) => (await fetch(`${baseUrl}${path}`, { headers })).text();
}

/**
 * The memory of a process and of all that it started, in megabytes: each page once, divided by those that share it (PSS), so
 * the sum is what would come free. NaN where the system does not count so.
 */
function memoryOfTree(pid: number): number {
  if (!existsSync("/proc/self/smaps_rollup")) return Number.NaN;
  const listed = execFileSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = listed.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const withChildren = (id: number): number[] => [
    id,
    ...pairs.filter(([, parent]) => parent === id).flatMap(([child = 0]) => withChildren(child)),
  ];
  return withChildren(pid).reduce((sum, id) => sum + memoryOf(id), 0);
}

function memoryOf(pid: number): number {
  const [, kilobytes = "0"] = /^Pss:\s+(\d+)/m.exec(readIfAlive(`/proc/${pid}/smaps_rollup`)) ?? [];
  return Number(kilobytes) / 1024;
}

/** A process may end between being listed and being read. */
function readIfAlive(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { entityOf } from "../../../shared/entities.ts";
import type { Item } from "../../../shared/table/table.ts";
import { keyOf } from "../../../shared/table/table.ts";
import { putItems } from "../../support/records/items.ts";
import { useService } from "../../support/service/service.ts";
import { loadRelease } from "./release.ts";
import { type Begun, begin, goOn } from "./story.ts";
import { takeTurns } from "./turns.ts";

/** The items that a release had stored in the middle of the story, and the newest message of each of its workers. */
interface Samples {
  readonly at: string;
  readonly begun: Begun;
  readonly items: readonly Item[];
  readonly messages: Readonly<Record<string, readonly unknown[]>>;
}

const folder = fileURLToPath(new URL("samples/", import.meta.url));
const written = process.env.WRITE_SAMPLES;
const minute = 60_000;
const service = useService();

/** Today's release takes every turn, at a moment, in a table that holds these items. */
async function takeAllTurns(now: number, items: readonly Item[]) {
  const release = await loadRelease("old");
  vi.useFakeTimers({ now: now - 60 * minute, toFake: ["Date"] });
  await release.work("rotate-signing-key", {});
  vi.setSystemTime(now);
  await putItems(items);
  return { release, turns: await takeTurns([release, release]) };
}

async function writeSamples(): Promise<void> {
  const at = new Date().toISOString();
  const { turns } = await takeAllTurns(Date.now(), []);
  const begun = await begin(turns, 100, service.inbox);
  const newest = Object.entries(turns.messages).map(([worker, all]) => [worker, all.slice(-1)]);
  const samples: Samples = { at, begun, items: turns.items(), messages: Object.fromEntries(newest) };
  const lines = JSON.stringify(samples, undefined, 1);
  // Sets and bytes would be lost.
  expect(JSON.parse(lines)).toEqual(samples);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${written}.json`, `${lines}\n`);
}

const files = globSync(`${folder}*.json`).map((file) => [basename(file, ".json"), file] as const);
if (written) test(`the samples of ${written} are written`, writeSamples);
else
  test.each(files)(
    "D38: what %s stored is read, and its messages are processed",
    async (_, file) => {
      const { at, begun, items, messages }: Samples = JSON.parse(readFileSync(file, "utf8"));
      const kinds = new Set(items.map((item) => entityOf(keyOf(item))?.name));
      expect(kinds).not.toContain(undefined);
      const { release, turns } = await takeAllTurns(Date.parse(at) + minute, items);
      for (const [worker, some] of Object.entries(messages)) await turns.hand(worker, some);
      await goOn(turns, begun);
      await release.expectExactCounters();
    },
    minute,
  );

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { kindOf } from "../../frozen/kinds.ts";
import type { MarshalledItem, Release } from "../../frozen/release.ts";
import { live } from "../../frozen/scenario.ts";
import { thisRelease } from "../../frozen/this-release.ts";
import { type Service, useService } from "../../support/service/service.ts";
import { applications } from "../../support/workers/pushes.ts";
import { importer, type Load, nextAttribute, takeRelease } from "./release-bundles.ts";

/** The two releases whose functions run side by side while a canary is tried out, and after it was taken back. */
const both = ["old", "next"] as const;
type Side = (typeof both)[number];

/** What overwrites what stands there, whoever wrote that: attributes of the other release end with it. */
const overwritten = new Set([
  // Whoever completes a recovery is forgiven every guess.
  "accounts/login-guesses",
  // It follows from its invoice, which keeps what it has; `npm run reconcile -- --repair` makes it again.
  "lists/number-entry",
]);

/**
 * Declares the test that two releases share a table: the bundles of one, then those of the other, by turns. A file for each
 * that begins, as clients and keys are kept as long as a process lives.
 */
export function testTurnsFrom(first: Side): void {
  const directory = mkdtempSync(join(tmpdir(), "workforce-releases-"));
  const service = useService();
  const releases = {} as Record<Side, Load>;

  beforeAll(async () => {
    process.env.PLATFORM_APPLICATIONS = JSON.stringify(applications);
    await Promise.all(
      both.map(async (side) => {
        releases[side] = await takeRelease(join(directory, side), side === "next");
      }),
    );
  });
  afterAll(() => {
    vi.useRealTimers();
    rmSync(directory, { recursive: true });
  });

  test("two releases serve by turns what the other wrote: no item or field is lost, and totals are exact", async () => {
    const order = first === "old" ? both : both.toReversed();
    const lost: string[] = [];
    const release = byTurns(service, { order, releases }, (loss) => void lost.push(loss));
    const { items } = await live(release);
    expect(lost).toEqual([]);
    // Both wrote, and the next one most kinds of what there is: the test would prove nothing otherwise.
    const kinds = new Set(items.map(kindOf));
    const written = new Set(items.filter((item) => item[nextAttribute]).map(kindOf));
    expect(written.size).toBeGreaterThan(kinds.size / 3);
    expect(items.filter((item) => !item[nextAttribute])).not.toEqual([]);
    const { drifts, uncounted, unreadable } = await reconcileTotals();
    expect({ drifts, uncounted, unreadable }).toEqual({ drifts: [], uncounted: [], unreadable: [] });
  }, 60_000);
}

/** A release of which each call is made by another one than the last; what a call makes of older items is looked at. */
function byTurns(
  service: Service,
  { order, releases }: { order: readonly Side[]; releases: Record<Side, Load> },
  report: (loss: string) => void,
): Release {
  // The first call makes it 2, an even turn.
  let turn = 1;
  let before: readonly MarshalledItem[] = [];
  const load: Load = (name) => {
    turn += 1;
    return releases[order[turn % 2] ?? "old"](name);
  };
  const release = thisRelease(service, load);
  const watched = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const result = await act();
    const after = await release.readItems();
    for (const loss of lossesOf(before, after)) report(`${order[turn % 2]} ${what}: ${loss}`);
    before = after;
    return result;
  };
  return {
    ...release,
    call: (name, sent) => watched(name, () => release.call(name, sent)),
    work: (worker, event) => watched(worker, () => release.work(worker, event)),
    importLine: (line) => watched(importer, async () => void (await (load(importer) as ImportLine)(line))),
  };
}

type ImportLine = (line: object) => Promise<unknown>;

/** The kinds of items that have an older version than before, or no longer what the next release stored with them. */
function lossesOf(before: readonly MarshalledItem[], after: readonly MarshalledItem[]): string[] {
  const keyOf = ({ pk, sk }: MarshalledItem) => `${pk?.S} ${sk?.S}`;
  const now = new Map(after.map((item) => [keyOf(item), item]));
  return before.flatMap((item) => {
    const [kind, later] = [kindOf(item), now.get(keyOf(item))];
    if (!later || overwritten.has(kind)) return [];
    const isOlder = Number(later.schema_version?.N) < Number(item.schema_version?.N);
    const isLost = item[nextAttribute] !== undefined && later[nextAttribute] === undefined;
    return [...(isOlder ? [`${kind} is older`] : []), ...(isLost ? [`${kind} lost ${nextAttribute}`] : [])];
  });
}

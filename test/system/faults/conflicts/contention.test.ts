import { expect, test } from "vitest";
import { countsBetween } from "../../../../shared/table/counters.ts";
import { commitOnce } from "../../../../shared/table/plans.ts";
import { type Pace, paces, retryConflicts } from "../../../../shared/table/retry.ts";
import { type HeldWrite, type Holding, useHeldItems } from "../../../support/faults/held-items.ts";
import { useModelClock } from "../../../support/faults/model-clock.ts";
import { useService } from "../../../support/service/service.ts";

useService();
const held = useHeldItems();
const clock = useModelClock();

const place = { companyId: 1, id: 1, date: "2026-05-04", number: null };
const paid = countsBetween("TIMESHEETS", { ...place, state: "pending" }, { ...place, state: "paid" });

/** Payments of timesheets of one company and month, each of its own timesheet. */
function payments(pace: Pace = paces.bulk) {
  return (at: number) => {
    const writes = [{ Put: { Item: { pk: `TIMESHEET#${at}`, sk: "TIMESHEET" } } }];
    return retryConflicts((count, leftMs) => commitOnce(writes, paid, { count, leftMs }), pace);
  };
}

/** Has a write of any part of a counter made one of its first part. */
function inOnePart(write: HeldWrite): HeldWrite {
  const { Update: update } = write;
  if (!String(update?.Key?.pk).startsWith("COUNTERS#")) return write;
  return { Update: { ...update, Key: { ...update?.Key, sk: String(update?.Key?.sk).replace(/\d+$/, "00") } } as never };
}

/**
 * Makes changes at once by the model's clock, whose transactions take their time and reach no table. Gives how many are
 * refused as busy, and the milliseconds until 99 percent of the others were written.
 */
async function modelContention(
  name: string,
  atOnce: number,
  change: (at: number) => Promise<unknown>,
  rewrite: Holding["rewrite"] = (write) => write,
) {
  held.begin({ rewrite, isModel: true });
  const ends = await clock.run(() => {
    const began = performance.now();
    const timed = async (_: unknown, at: number) => {
      await change(at);
      return performance.now() - began;
    };
    return Promise.allSettled(Array.from({ length: atOnce }, timed));
  });
  held.end();
  for (const end of ends) if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "busy" });
  const times = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : [])).toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.ceil(times.length * share) - 1] ?? Number.NaN);
  const { transactions, cancelled } = held.figures;
  const refused = atOnce - times.length;
  const row = [
    name,
    atOnce,
    [0.5, 0.95, 0.99].map(at).join("/"),
    refused,
    `${Math.round((100 * cancelled) / transactions)} %`,
  ];
  if (process.env.SHOW_FIGURES) console.info(`| ${row.join(" | ")} |`);
  return { refused, p99: at(0.99) };
}

test.each([
  { atOnce: 1, withinMs: 60 },
  { atOnce: 20, withinMs: 700 },
  { atOnce: 200, withinMs: 2_000 },
])("$atOnce payments of one company at once are written within $withinMs ms", async ({ atOnce, withinMs }) => {
  const figures = await modelContention("parts, 3 s", atOnce, payments());
  expect(figures.refused).toBe(0);
  expect(figures.p99).toBeLessThanOrEqual(withinMs);
});

test("with one part for all, of 200 payments of one company many are refused", async () => {
  const figures = await modelContention("one part, 3 s", 200, payments(), inOnePart);
  expect(figures.refused).toBeGreaterThan(50);
});

test("within the second that a single write has, 50 changes of one company at once are written", async () => {
  const brief = payments(paces.conflict);
  expect((await modelContention("parts, 1 s", 50, brief)).refused).toBe(0);
  expect((await modelContention("one part, 1 s", 50, brief, inOnePart)).refused).toBeGreaterThan(5);
});

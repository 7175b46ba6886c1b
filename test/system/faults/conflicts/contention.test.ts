import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { type Pace, paces, retryConflicts } from "../../../../shared/db/table/retry.ts";
import { commitOnce } from "../../../../shared/db/writes/commit.ts";
import { countsBetween } from "../../../../shared/db/writes/counters.ts";
import { useHeldItems } from "../../../support/faults/held-items.ts";
import { useModelClock } from "../../../support/faults/model-clock.ts";
import { useService } from "../../../support/service/service.ts";
import { type Contention, modelContention } from "./conflict-model.ts";

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
function inOnePart(write: TransactWriteItem): TransactWriteItem {
  const { Update: { Key, ...update } = {} } = write;
  if (!Key?.pk?.S?.startsWith("COUNTERS#")) return write;
  return { Update: { ...update, Key: { ...Key, sk: { S: `${Key.sk?.S}`.replace(/\d+$/, "00") } } } as never };
}

function show(name: string, figures: Contention): Contention {
  const { atOnce, p50, p95, p99, refused, cancelled } = figures;
  const row = [name, atOnce, `${p50}/${p95}/${p99}`, refused, `${cancelled} %`];
  if (process.env.SHOW_FIGURES) console.info(`| ${row.join(" | ")} |`);
  return figures;
}

test.each([
  { atOnce: 1, withinMs: 60 },
  { atOnce: 5, withinMs: 300 },
  { atOnce: 20, withinMs: 700 },
  { atOnce: 50, withinMs: 1_000 },
  { atOnce: 200, withinMs: 2_000 },
])("$atOnce payments of one company at once are written within $withinMs ms", async ({ atOnce, withinMs }) => {
  const figures = show("parts, 3 s", await modelContention({ clock, held }, atOnce, payments()));
  expect(figures.refused).toBe(0);
  expect(figures.p99).toBeLessThanOrEqual(withinMs);
});

test("with one part for all, of 200 payments of one company many are refused", async () => {
  const figures = show("one part, 3 s", await modelContention({ clock, held }, 200, payments(), inOnePart));
  expect(figures.refused).toBeGreaterThan(50);
});

test("within the second that a single write has, 50 changes of one company at once are written", async () => {
  expect(show("parts, 1 s", await modelContention({ clock, held }, 50, payments(paces.conflict))).refused).toBe(0);
  const inOne = await modelContention({ clock, held }, 50, payments(paces.conflict), inOnePart);
  expect(show("one part, 1 s", inOne).refused).toBeGreaterThan(5);
});

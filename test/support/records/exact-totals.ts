import { expect } from "vitest";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";

/** Expects that totals and search entries are what counting all records gives, and that every record can be counted. */
export async function expectExactTotals(): Promise<void> {
  const { drifts, uncounted, unreadable } = await reconcileTotals();
  expect({ drifts, uncounted, unreadable }).toEqual({ drifts: [], uncounted: [], unreadable: [] });
}

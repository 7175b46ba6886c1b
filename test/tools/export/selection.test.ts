import { expect, test } from "vitest";
import { requireKept } from "../../../infra/tools/export/selection.ts";
import { recordTypes } from "../../../shared/contract/records.ts";
import { selected } from "./run-export.ts";

const now = new Date("2026-05-31T12:00:00.000Z");
const select = (typed: Parameters<typeof selected>[0]) => selected(typed, now);

test("types keep the order of the file, and are all of them unless named", () => {
  expect(select({}).types).toEqual(recordTypes);
  expect(select({ types: "job, company" }).types).toEqual(["company", "job"]);
  expect(select({ csv: true }).types).toEqual(["timesheet", "invoice"]);
});

test.each([
  [{ types: "invoices" }, /Did you mean invoice\?/],
  [{ csv: true, types: "user" }, /no type to export "user"/],
  [{ csv: true, since: "2026-05-30" }, /--csv/],
  [{ company: "1", since: "2026-05-30" }, /do not go together/],
  [{ types: "job,notification", since: "2026-05-30" }, /notification together with user/],
  [{ company: "0" }, /id of a company/],
  [{ company: "1e99" }, /id of a company/],
  [{ since: "yesterday" }, /--since takes/],
  [{ since: "2026-02-30T25:00" }, /there is no moment/],
  [{ since: "2026-02-30" }, /there is no moment/],
  [{ since: "2026-04-31T10:00Z" }, /there is no moment/],
  [{ since: "2026-99-01" }, /there is no moment/],
  [{ since: "2026-06-01" }, /still to come/],
  [{ since: "2026-05-01" }, /Removals are kept for 30 days/],
])("%j is a mistake", (typed, message) => {
  expect(() => select(typed)).toThrow(message);
});

test("a moment is in UTC unless it says otherwise, and may be 30 days ago", () => {
  expect(select({ since: "2026-05-30" }).since).toBe("2026-05-30T00:00:00.000Z");
  expect(select({ since: "2026-05-30T10:00" }).since).toBe("2026-05-30T10:00:00.000Z");
  expect(select({ since: "2026-05-30T10:00:00+02:00" }).since).toBe("2026-05-30T08:00:00.000Z");
  expect(select({ since: now.toISOString() }).since).toBe(now.toISOString());
  const { since } = select({ since: "2026-05-01T12:00:00Z" });
  expect(() => requireKept({ since }, new Date(now.getTime() + 1))).toThrow("Removals are kept");
});

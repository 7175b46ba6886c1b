import { describe, expect, test, vi } from "vitest";
import { history } from "../../infra/tools/history.ts";
import { changeIdOf, putHistory } from "../support/records/history.ts";
import { timesheetLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { useService } from "../support/service/service.ts";
import { expectMistake, runTool } from "./machine.ts";

vi.mock("../../infra/tools/service/open-service.ts", () => ({
  withService: (_: unknown, work: () => Promise<number>) => work(),
}));

useService();
const print = (...parameters: string[]) => runTool(() => history(parameters, "nowhere"));
const headsOf = async (...parameters: string[]) =>
  (await print(...parameters)).out.split("\n").filter((line) => /^20/.test(line));

describe("npm run history", () => {
  test("prints a record's story, the latest first: who, when, by which call, and what stood there before", async () => {
    await store([userLine(71, { first_name: "Olivia", last_name: "Hart" })]);
    const before = { total: "1.00", note: "two\nlines \u001b[31m", driver: { id: 5 } };
    await putHistory([
      {
        id: 900,
        at: "2026-04-01T09:00:00.000Z",
        did: "created",
        by: "import#run-1",
        before: undefined,
        after: { total: "1.00" },
      },
      { id: 900, by: "user#71", keyId: 12, before, after: { total: "2.00", note: "x".repeat(300) } },
    ]);
    const { code, out } = await print("timesheet", "900");
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      `2026-05-01T09:00:00.000Z  updated by user 71 (Olivia Hart)  API key 12, operation bulk-update-timesheets, change ${changeIdOf(0)}, request request-1`,
      '    driver  {"id":5} → –',
      `    note    two\\u000alines \\u001b[31m → ${"x".repeat(200)}… (100 more characters)`,
      "    total   1.00 → 2.00",
      `2026-04-01T09:00:00.000Z  created by import run-1  operation bulk-update-timesheets, change ${changeIdOf(0)}, request request-1`,
      "    total  – → 1.00",
      "",
    ]);
  });

  test("prints every change, beyond one page, and with --change all records of one, each named", async () => {
    const changeId = changeIdOf(7);
    await putHistory(Array.from({ length: 103 }, (_, at) => ({ id: 901 + (at % 2), changeId })));
    await putHistory([{ type: "invoice", id: 912, changeId }]);
    const heads = await headsOf("--change", changeId);
    const named = heads.map((line) => /updated (\w+ \d+) by user 2/.exec(line)?.[1]);
    expect(heads).toHaveLength(104);
    expect(new Set(named)).toEqual(new Set(["timesheet 901", "timesheet 902", "invoice 912"]));
    expect(await headsOf("Timesheet", "901")).toHaveLength(52);
  });

  test("ends with 0 for a record without changes, with 1 where there is nothing", async () => {
    await store([timesheetLine(1, 1)]);
    expect(await print("timesheet", "1")).toMatchObject({
      code: 0,
      err: expect.stringContaining("Unchanged since it was imported"),
    });
    const none = { code: 1, err: "No change of it is kept.\n" };
    expect(await print("--change", changeIdOf(99))).toMatchObject(none);
    await expect(print("timesheet", "2")).rejects.toThrow("no such record");
  });

  test.each([
    [["timesheets", "1"], "Did you mean timesheet?"],
    [["timesheet"], "Say TYPE and ID"],
    [["timesheet", "x"], '"x" is no id'],
    [["timesheet", "1", "--change", "x"], "Say TYPE and ID"],
    [["timesheet", "1", "2"], "Say TYPE and ID"],
  ])("%j is a mistake in the call", async (parameters, message) => {
    await expectMistake(print(...parameters), message);
  });
});

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { findStage } from "../../infra/stages/stages.ts";
import { runExport } from "../../infra/tools/export.ts";
import { forget } from "../../infra/tools/forget.ts";
import { runImport } from "../../infra/tools/import.ts";
import { recordTypes } from "../../shared/contract/records.ts";
import { settings } from "../../shared/run/settings.ts";
import { beforeCalls } from "../support/faults/before-calls.ts";
import { timesheetLine, userLine } from "../support/records/records.ts";
import { write } from "../support/records/writes.ts";
import { useFolder } from "./export/run-export.ts";
import { runTool, useMachine } from "./machine.ts";
import { xenia } from "./xenia.ts";

const directory = useMachine();
const file = useFolder();
const run = (...parameters: string[]) => runTool(() => runExport(parameters, directory));

test("it writes what the machine has, for its user alone, and says as of when", async () => {
  const out = file("all.jsonl");
  const { code, out: said } = await run("--out", out);
  const lines = readFileSync(out, "utf8").trimEnd().split("\n");
  const types = lines.map((line) => JSON.parse(line).type);
  expect([code, (statSync(out).mode & 0o777).toString(8)]).toEqual([0, "600"]);
  expect(new Set(types), "infra/local/demo has no record of a type, or exported-lines.ts reads none of it").toEqual(
    new Set(recordTypes),
  );
  expect(said).toContain(`invoice ${types.filter((type) => type === "invoice").length}, `);
  expect(said).toMatch(
    /\nEach as it was between 20\S+Z and 20\S+Z\.\nFor the next export of changes, pass --since 20\S+Z: it is earlier, so that none is missed\.\n$/,
  );
  await expect(run("--out", out)).rejects.toThrow("is there: remove it, or name another file");
});

test("no --since is suggested after a selection that does not go with it", async () => {
  for (const [at, selection] of [["--company", "1"], ["--csv"]].entries()) {
    const { code, out: said } = await run(...selection, "--out", file(`selected-${at}`));
    expect([code, said]).toEqual([0, expect.stringMatching(/\nEach as it was between \S+ and \S+\.\n$/)]);
  }
  expect(existsSync(file("selected-1.invoice.csv"))).toBe(true);
});

test("--csv makes a table of each type, which the import takes", async () => {
  const out = file("table.txt");
  expect(await run("--csv", "--out", out)).toMatchObject({ code: 0 });
  expect(readFileSync(file("table.invoice.txt"), "utf8")).toMatch(/^id,company_name,.*,company_id,version\r\n/);
  expect(readFileSync(file("table.timesheet.txt"), "utf8")).toContain("driver.first_name");
  const imported = await runTool(() => runImport([file("table.invoice.txt"), "--csv", "invoice"], directory));
  expect(imported).toMatchObject({ code: 0, out: expect.stringMatching(/^0 created, 0 updated, [1-9]\d+ unchanged,/) });
  const wrong = runImport([file("table.invoice.txt"), "--csv", "invoices"], directory);
  await expect(wrong).rejects.toThrow('no type to import "invoices". Did you mean invoice?');
});

test("--user writes all about one person, with the timesheets of their profile", async () => {
  const out = file("user.jsonl");
  const { code, out: said } = await run("--user", String(demoUsers.driver.id), "--out", out);
  const lines = readFileSync(out, "utf8").trimEnd().split("\n");
  expect([code, said, (statSync(out).mode & 0o777).toString(8)]).toEqual([
    0,
    `${lines.length} lines, in ${out}\n`,
    "600",
  ]);
  const types = new Set(lines.map((line) => JSON.parse(line).type));
  for (const type of ["user", "login", "timesheet"]) expect(types).toContain(type);
  await expect(run("--user", "987654", "--out", file("nobody.jsonl"))).rejects.toThrow(
    "Nothing is known of user 987654",
  );
});

test("wrong calls are mistakes", async () => {
  await expect(run("--out", file("none/all.jsonl"))).rejects.toThrow("There is no folder");
  for (const other of [["--csv"], ["--types", "job"], ["--company", "1"], ["--since", "2026-05-30"]]) {
    await expect(run("--user", "5", ...other)).rejects.toThrow("--user goes with --stage and --out alone");
  }
  await expect(run("--user", "x")).rejects.toThrow("--user takes the id of a user");
});

test("forget says what it would do, does it with --yes, and what is left; a replay does it again", async () => {
  const run = (...parameters: string[]) => runTool(() => forget(parameters, directory));
  const user = String(demoUsers.driver.id);
  expect((await run("--user", user)).out).toMatch(
    /^Would be erased with --yes: user 5 with all that is theirs; their name in [1-9]/,
  );
  expect(existsSync(join(directory, "erased.json"))).toBe(false);
  const done = await run("--user", user, "--yes");
  expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^Erased: user 5 with all that is theirs; /) });
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const { logRetentionDays } = findStage("local");
  const until = [1, 14, 35, logRetentionDays, settings.historyDays()].map(dayIn);
  expect(done.out.match(/(?<=: )20\d\d-\d\d-\d\d$/gm)).toEqual(until);
  expect(done.out).not.toContain("SNS did not delete");
  expect((statSync(join(directory, "erased.json")).mode & 0o777).toString(8)).toBe("600");
  expect((await run("--user", user)).out).toContain("user 5, who is gone already; their name in 0 timesheets");
  expect((await run("--replay")).out).toBe("On the list: 5. --yes erases them once more.\n");
  expect((await run("--replay", "--yes")).out).toBe("Erased once more: nobody. Not in the table, and kept out: 5.\n");
  for (const [yes, code, out] of [
    [[], 0, "User 5 would go off the list: --yes does it.\n"],
    [["--yes"], 0, "User 5 is off the list.\n"],
    [["--yes"], 1, "User 5 is not on the list.\n"],
    [[], 1, "User 5 is not on the list.\n"],
  ] as const)
    expect(await run("--user", user, "--readmit", ...yes)).toMatchObject({ code, out });
  expect((await run("--replay")).out).toBe("On the list: nobody. --yes erases them once more.\n");
  expect(await run("--user", "987654")).toMatchObject({ code: 1, out: expect.stringContaining("Nothing is known of") });
  for (const wrong of [[], ["--replay", "--user", "1"], ["--replay", "--readmit"], ["--user", "x"]])
    await expect(run(...wrong)).rejects.toThrow(/--user/);
}, 600_000);

test("forget ends with 1 and what was true where others keep writing the name: the user is erased, the last pass found it", async () => {
  const { profile_id, first_name, last_name } = xenia;
  writeFileSync(file("xenia.jsonl"), JSON.stringify(userLine(4_711, { profile_id, first_name, last_name })));
  expect(await runTool(() => runImport([file("xenia.jsonl")], directory))).toMatchObject({ code: 0 });
  let id = 900_000;
  const writeAgain = async (command: string) => {
    if (command !== "ScanCommand") return;
    id += 1;
    await write(timesheetLine(id, 1, { driver: xenia }));
  };
  const run = (...parameters: string[]) => runTool(() => beforeCalls(writeAgain, () => forget(parameters, directory)));
  const said = await run("--user", "4711", "--yes");
  expect(said).toMatchObject({ code: 1, out: expect.stringMatching(/^Erased: user 4711 with all that is theirs; /) });
  expect(said.err).toMatch(
    /\bOthers keep writing the name: after all this the last pass still found it in \d+ timesheets, /,
  );
  const replayed = await run("--replay", "--yes");
  expect(replayed).toMatchObject({ code: 1, out: expect.stringContaining("kept out: 4711.") });
  expect(replayed.err).toContain("Others keep writing names of 4711 into records: find out which");
}, 600_000);

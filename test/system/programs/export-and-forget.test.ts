import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { demoUsers } from "../../../infra/local/demo/demo.ts";
import { runExport } from "../../../infra/tools/export.ts";
import { forget } from "../../../infra/tools/forget.ts";
import { runImport } from "../../../infra/tools/import.ts";
import { notificationKey, notifications } from "../../../shared/db/notifications/notifications.ts";
import { putItems } from "../../support/records/items.ts";
import { notificationLine } from "../../support/records/records.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useFolder } from "../../tools/export/run-export.ts";
import { runProgram, runTool, useMachine } from "../../tools/machine.ts";

const directory = useMachine();
const file = useFolder();
const run = (...parameters: string[]) => runTool(() => runExport(parameters, directory));

test("it writes what the machine has, for its user alone, and says as of when", async () => {
  const out = file("all.jsonl");
  const { code, out: said } = await run("--out", out);
  const lines = readFileSync(out, "utf8").trimEnd().split("\n");
  const types = lines.map((line) => JSON.parse(line).type);
  expect([code, (statSync(out).mode & 0o777).toString(8), new Set(types).size]).toEqual([0, "600", 6]);
  expect(said).toContain(`invoice ${types.filter((type) => type === "invoice").length}, `);
  expect(said).toMatch(
    /\nEach as it was between 20\S+Z and 20\S+Z\.\nFor the next export of changes, pass --since 20\S+Z: it is earlier, so that none is missed\.\n$/,
  );
  await expect(run("--out", out)).rejects.toThrow("is there: remove it, or name another file");
});

test("--csv makes a table of each type, which the import takes", async () => {
  const out = file("table.csv");
  expect(await run("--csv", "--out", out)).toMatchObject({ code: 0 });
  expect(readFileSync(file("table.invoice.csv"), "utf8")).toMatch(/^id,company_name,.*,company_id,version\r\n/);
  expect(readFileSync(file("table.timesheet.csv"), "utf8")).toContain("driver.first_name");
  const imported = await runTool(() => runImport([file("table.invoice.csv"), "--csv", "invoice"], directory));
  expect(imported).toMatchObject({ code: 0, out: expect.stringMatching(/^0 created, 0 updated, [1-9]\d+ unchanged,/) });
  const wrong = runImport([file("table.invoice.csv"), "--csv", "invoices"], directory);
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

test("wrong calls are mistakes, and --help says what the file does not hold", async () => {
  await expect(run("--out", file("none/all.jsonl"))).rejects.toThrow("There is no folder");
  for (const other of [["--csv"], ["--types", "job"], ["--company", "1"], ["--since", "2026-05-30"]]) {
    await expect(run("--user", "5", ...other)).rejects.toThrow("--user goes with --stage and --out alone");
  }
  await expect(run("--user", "x")).rejects.toThrow("--user takes the id of a user");
  const { code, out } = await runProgram(() => runExport(["--help"], directory));
  const leftOut = out.split("It does not hold: ")[1] ?? "";
  expect(code).toBe(0);
  for (const kind of ["credentials of any kind", "devices", "timers", "counters", "history", "tombstones"])
    expect(leftOut).toContain(kind);
});

test("forget says what it would do, does it with --yes, and what is left; a replay does it again", async () => {
  const run = (...parameters: string[]) => runTool(() => forget(parameters, directory));
  const user = String(demoUsers.driver.id);
  expect((await run("--user", user)).out).toMatch(
    /^Would be erased with --yes: user 5 with all that is theirs; their name in [1-9]/,
  );
  expect(existsSync(join(directory, "erased.json"))).toBe(false);
  const done = await run("--user", user, "--yes");
  expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^Erased: user 5 .*\n.*\n.* stream.*: 20\d\d-/) });
  expect((statSync(join(directory, "erased.json")).mode & 0o777).toString(8)).toBe("600");
  expect((await run("--user", user)).out).toContain("user 5, who is gone already; their name in 0 timesheets");
  expect((await run("--replay")).out).toBe("On the list: 5. --yes erases them once more.\n");
  expect((await run("--replay", "--yes")).out).toContain("Not in the table, and kept out: 5.");
  expect(await run("--user", user, "--readmit", "--yes")).toMatchObject({ code: 0, out: "User 5 is off the list.\n" });
  expect(await run("--user", "987654")).toMatchObject({ code: 1, out: expect.stringContaining("Nothing is known of") });
  for (const wrong of [[], ["--replay", "--user", "1"], ["--user", "x"]])
    await expect(run(...wrong)).rejects.toThrow(/--user/);
}, 600_000);

/** With the full count, more than a heap of 64 MB could hold. */
const kilobytes = 16;
const count = usualOrFull(300, 20_000);
const userId = 999;

/** Starts the command in a process of its own, with a small heap. */
function start(...parameters: string[]) {
  const tool = join(import.meta.dirname, "../../../infra/tools/export.ts");
  const child = spawn(process.execPath, ["--max-old-space-size=64", tool, ...parameters], {
    env: { ...process.env, WORKFORCE_DIRECTORY: directory },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, said }));
  return { child, ended };
}

test("killed at any moment there is no file; the next run has it, in a heap of 64 MB, without a gap or a double", async () => {
  const { type: _, user_id: _user, ...fields } = notificationLine(1, userId);
  const items = Array.from({ length: count }, (_each, at) => {
    const { id: _id, ...record } = { ...fields, params: { type: "published", text: "x".repeat(kilobytes * 1_000) } };
    const id = count - at;
    return notifications.encode({ ...notificationKey(userId, id), id, user_id: userId, record, revision: 1 });
  });
  await putItems(items);
  const out = file("killed.jsonl");
  const began = performance.now();
  expect(await start("--out", out, "--types", "notification").ended).toMatchObject({ code: 0 });
  const takesMs = performance.now() - began;
  rmSync(out);
  const kills = usualOrFull(2, 4);
  for (let at = 1; at <= kills; at += 1) {
    const { child, ended } = start("--out", out, "--types", "notification");
    const timer = setTimeout(() => child.kill("SIGKILL"), (takesMs * at) / (kills + 1));
    const { signal } = await ended;
    clearTimeout(timer);
    // A run that was faster than the first has ended before.
    expect(existsSync(out)).toBe(signal === null);
    rmSync(out, { force: true });
  }
  expect(await start("--out", out, "--types", "notification").ended).toMatchObject({ code: 0 });
  const ids = readFileSync(out, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ user_id }) => user_id === userId)
    .map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: count }, (_each, at) => at + 1));
  rmSync(out);
}, 600_000);

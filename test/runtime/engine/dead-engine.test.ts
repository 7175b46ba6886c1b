import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { copyDemo } from "../../support/service/demo-machine.ts";
import { makeDirectory } from "../../support/service/local-machine.ts";

const directory = makeDirectory();
const data = join(directory.path, "data");
beforeAll(() => copyDemo(directory.path), 120_000);
const own = useOwnMachine(directory);

const list = (query = "") => own.request("GET", `/api/v1/finance/timesheets?per_page=5${query}`, { role: "operator" });
const pay = (ids: number[], state: string) =>
  own.request("PATCH", "/api/v1/finance/timesheets/bulk_update", {
    role: "operator",
    body: { timesheet: { timesheet_ids: ids, state } },
  });
const timesOf = (text: string) => own.machine.output().split(text).length - 1;

/** The ids of the processes of an engine that keeps its data in a folder. */
function enginesOn(folder: string): number[] {
  const { stdout } = spawnSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line.includes(folder) && /dynoxide|DynamoDBLocal/.test(line));
  return lines.map((line) => Number.parseInt(line, 10));
}

/** Kills the one engine of a folder, as a lack of memory does. */
function killEngineOn(folder: string): void {
  const [pid, ...others] = enginesOn(folder);
  if (pid === undefined || others.length > 0) throw new Error(`There is not one engine on ${folder}`);
  process.kill(pid, "SIGKILL");
}

test("an engine that is killed is back for the next request, a read or a write, with all that was answered", async () => {
  const ids: number[] = (await list()).body.timesheets.map(({ id }: { id: number }) => id);
  const changes: unknown[] = [];
  for (const [at, state] of ["paid", "pending", "paid", "pending"].entries()) {
    killEngineOn(data);
    const paid = await pay(ids, state);
    expect([at, paid.status]).toEqual([at, 200]);
    const changeId = paid.headers.get("change-id");
    if (changeId !== null) changes.push(changeId);
    killEngineOn(data);
    const { status, body } = await list();
    const states = body.timesheets.map((each: { state: string }) => each.state);
    expect([status, states]).toEqual([200, Array(ids.length).fill(state)]);
  }
  expect(changes.length).toBeGreaterThanOrEqual(3);
  // The stream goes on behind the deaths: each change is in the history once.
  const changesOf = async () => {
    const path = `/api/v1/changes?record_type=Timesheet&record_id=${ids[0]}&per_page=100`;
    const { body } = await own.request("GET", path, { role: "operator" });
    return body.changes.map((change: { change_id: string }) => change.change_id);
  };
  await expect.poll(changesOf, { timeout: 20_000 }).toEqual(expect.arrayContaining(changes));
  expect((await changesOf()).filter((id: string) => changes.includes(id)).toSorted()).toEqual(changes.toSorted());
  expect(timesOf("The table's engine has died and is started again …")).toBe(8);
  expect(enginesOn(data)).toHaveLength(1);
}, 120_000);

test.skipIf(inject("engineName") !== "dynoxide")(
  "a machine whose engine does not start again ends with one sentence (with dynoxide alone)",
  async () => {
    const file = join(data, "table.sqlite");
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    killEngineOn(data);
    expect(await own.machine.ended()).toBe(1);
    const said = own.machine
      .output()
      .split("\n")
      .filter((line) => line.startsWith("The machine ends"));
    const engine = "The DynamoDB engine dynoxide ended at once: ";
    expect(said).toEqual([expect.stringContaining(`The machine ends, because its table's engine has died: ${engine}`)]);
    expect(enginesOn(data)).toEqual([]);
  },
  60_000,
);

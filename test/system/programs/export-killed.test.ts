import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { notificationKey, notifications } from "../../../shared/notifications/notifications.ts";
import { putItems } from "../../support/records/items.ts";
import { notificationLine } from "../../support/records/records.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useFolder } from "../../tools/export/run-export.ts";
import { useMachine } from "../../tools/machine.ts";

const directory = useMachine();
const file = useFolder();

/** With the full count, more than a heap of 64 MB could hold. */
const kilobytes = 16;
const count = usualOrFull(300, 6_000);
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

/** The ids of the user's notifications in a file. */
function idsIn(path: string): number[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const { user_id, id } = JSON.parse(line);
    return user_id === userId ? [id] : [];
  });
}

test("killed at any moment there is no file or a whole one; the next run has it, in a heap of 64 MB, without a gap or a double", async () => {
  const ids = Array.from({ length: count }, (_each, at) => at + 1);
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
    // A run that is faster than the first may have its file, which is whole, before it is killed or ends.
    expect(existsSync(out) ? idsIn(out) : signal && ids).toEqual(ids);
    rmSync(out, { force: true });
  }
  expect(await start("--out", out, "--types", "notification").ended).toMatchObject({ code: 0 });
  expect(idsIn(out)).toEqual(ids);
  rmSync(out);
}, 600_000);

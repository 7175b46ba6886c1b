import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openPart, type PartOptions } from "../../../infra/tools/export/part-file.ts";
import { useFolder } from "./run-export.ts";

const file = useFolder();
const [first, later] = [new Date("2026-05-01T00:00:00.000Z"), new Date("2026-05-02T00:00:00.000Z")];

function open(path: string, options: Partial<PartOptions> = {}) {
  return openPart({ path, identity: { table: 1 }, now: first, restarts: false, ...options });
}

const entry = (id: number) => ({ type: "job", id, userId: 0, kind: "record", text: `{"id":${id}}` }) as const;
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("it goes on where it was closed, as of its first moment, and gives records by id", () => {
  const path = file("resumed");
  const part = open(path);
  expect([part.isResumed, part.place(0)]).toEqual([false, { isRead: false, from: undefined }]);
  part.keep({ segment: 0, next: { pk: "a" }, entries: [entry(10), entry(2)], memberIds: [] });
  part.keep({ segment: 1, next: undefined, entries: [entry(3)], memberIds: [] });
  part.close();
  const again = open(path, { now: later });
  expect([again.isResumed, again.begunAt, again.count()]).toEqual([true, first.toISOString(), 3]);
  expect([again.place(0), again.place(1)]).toEqual([
    { isRead: false, from: { pk: "a" } },
    { isRead: true, from: undefined },
  ]);
  expect([...again.records("job", false)].map(({ id }) => id)).toEqual([2, 3, 10]);
  expect(again.endReading(later)).toBe(later.toISOString());
  again.remove();
  again.close();
  expect([existsSync(path), existsSync(`${path}-journal`)]).toEqual([false, false]);
});

test("only its owner may read it, whoever made it and whatever its mode was", () => {
  const [made, found] = [file("made"), file("found")];
  writeFileSync(found, "", { mode: 0o644 });
  chmodSync(found, 0o666);
  for (const path of [made, found]) {
    const part = open(path);
    part.keep({ segment: 0, next: undefined, entries: [entry(1)], memberIds: [] });
    const journal = `${path}-journal`;
    expect([modeOf(path), existsSync(journal) ? modeOf(journal) : "600"]).toEqual(["600", "600"]);
    part.close();
  }
  symlinkSync(found, file("link"));
  expect(() => open(file("link"))).toThrow("is no file of yours");
});

test("one process has it at a time, also to restart, and another identity is refused unless it restarts", () => {
  const path = file("locked");
  const part = open(path);
  part.keep({ segment: 0, next: { pk: "a" }, entries: [entry(1)], memberIds: [] });
  for (const restarts of [false, true]) expect(() => open(path, { restarts })).toThrow("Another export writes");
  part.close();
  expect(() => open(path, { identity: { table: 2 } })).toThrow("is of another table, place or selection");
  const restarted = open(path, { identity: { table: 2 }, restarts: true, now: later });
  expect([restarted.isResumed, restarted.begunAt, restarted.count()]).toEqual([false, later.toISOString(), 0]);
  restarted.close();
});

test("a file that is no part is left alone, and replaced by a restart", () => {
  const path = file("letter");
  writeFileSync(path, "Dear Ada, ".repeat(100));
  expect(() => open(path)).toThrow("is no part of an export");
  expect(readFileSync(path, "utf8")).toContain("Dear Ada");
  const part = open(path, { restarts: true });
  expect(part.count()).toBe(0);
  part.close();
});

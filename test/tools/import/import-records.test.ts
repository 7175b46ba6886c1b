import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { ImportProgress } from "../../../infra/tools/import/import-records.ts";
import type { LineError } from "../../../infra/tools/import/line-errors.ts";
import { findUnreadCounts, notificationKey } from "../../../shared/notifications/notifications.ts";
import { recordKey, tableClient } from "../../../shared/table/table.ts";
import { beforeCalls } from "../../support/faults/before-calls.ts";
import { allItems } from "../../support/records/items.ts";
import {
  companyLine,
  invoiceLine,
  jobLine,
  notificationLine,
  timesheetLine,
  userLine,
} from "../../support/records/records.ts";
import { readItem } from "../../support/records/writes.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { runImport as run, streamOf } from "./run-import.ts";

useService();

async function everything(): Promise<unknown[]> {
  return (await allItems()).sort((one, other) => `${one.pk} ${one.sk}`.localeCompare(`${other.pk} ${other.sk}`));
}

const good = [
  companyLine(1),
  userLine(2),
  timesheetLine(3, 1),
  invoiceLine(4, 1),
  jobLine(5, 1),
  notificationLine(6, 2),
];

const bad = [
  "garbage",
  Buffer.from([0x7b, 0xff, 0x7d]),
  "[]",
  invoiceLine(100, 1, { state: "void", totl: "1" }),
  { type: "invoice", id: 101 },
  jobLine(102, 1, { title: "\ud800" }),
  invoiceLine(104, 1, { number: "x".repeat(300_000) }),
  '{"type":"job","id":105,"title":"\0"}',
];

const badErrors = [
  "1  malformed_json",
  "2  invalid_utf8",
  "3  wrong_type",
  "4 state not_allowed",
  "4 totl unknown_field",
  "5 company_name missing",
  "5 currency missing",
  "5 due_date missing",
  "5 from missing",
  "5 to missing",
  "5 issued_date missing",
  "5 number missing",
  "5 total missing",
  "5 uuid missing",
  "5 vat_percentage missing",
  "5 company_id missing",
  "6 title invalid",
  "7  line_too_long",
  "8  malformed_json",
];

test("D35: every type is created; the same file again changes nothing", async () => {
  expect((await run(streamOf(...good))).summary).toMatchObject({ created: 6, failed: 0, isComplete: true });
  const before = await everything();
  expect((await run(streamOf(...good))).summary).toMatchObject({ created: 0, updated: 0, unchanged: 6, failed: 0 });
  expect(await everything()).toEqual(before);
});

test("D35: a bad line is reported by line, field and code, and stops nothing else", async () => {
  const { summary, errors } = await run(streamOf(...bad, jobLine(103, 1)));
  expect(errors).toEqual(badErrors);
  expect(summary).toMatchObject({ created: 1, failed: bad.length });
  expect(await readItem(recordKey("JOB", 103))).toBeDefined();
});

test("D35: a dry run reports what a real run does, line by line, and writes nothing", async () => {
  const lines = [
    ...bad,
    companyLine(200),
    userLine(201, { email: "one@example.com", password: "correct horse" }),
    userLine(202, { email: "one@example.com" }),
    { type: "user", id: 201, email: "two@example.com" },
    userLine(203, { email: "user-2@example.com" }),
    notificationLine(204, 2),
    { type: "notification", id: 204, user_id: 2, read_at: "2026-05-02T09:00:00.000Z" },
    { type: "notification", id: 6, user_id: 2, deleted: true },
    jobLine(205, 1, { version: 3 }),
    { type: "job", id: 205, version: 2, title: "late" },
    { type: "job", id: 205, deleted: true },
    { type: "job", id: 205, title: "gone" },
    jobLine(205, 1, { version: 3 }),
    { type: "job", id: 206, version: 5, deleted: true },
    jobLine(206, 1, { version: 5 }),
    jobLine(206, 1, { version: 6 }),
    { type: "job", id: 206, version: 7, deleted: true },
    { type: "job", id: 206, version: 6, deleted: true },
    jobLine(206, 1),
    jobLine(206, 1, { version: 7, title: "late" }),
    { type: "invoice", id: 4, total: "2.00" },
  ];
  const before = await everything();
  // One at a time, so that which of two users is first to hold a login does not differ.
  const dry = await run(streamOf(...lines), { dryRun: true, concurrency: 1 });
  expect(await everything()).toEqual(before);
  const real = await run(streamOf(...lines), { concurrency: 1 });
  expect(dry).toEqual(real);
  expect(real.errors).toEqual(expect.arrayContaining(["11 email taken", "13 email taken", "20 company_id missing"]));
});

test("D7: a second login that reads as a stored one is a fault of its line, and one with another letter is none", async () => {
  const emails = ["jean-luc@example.com", "jean–luc@example.com", "ｊean-luc@example.com\u200b", "jeanluc@example.com"];
  const users = emails.map((email, at) => userLine(220 + at, { email }));
  const { errors } = await run(streamOf(...users), { concurrency: 1 });
  expect(errors).toEqual(["2 email taken", "3 email taken"]);
});

test("D35: an import is silent without --notify", async () => {
  await run(streamOf(jobLine(210, 1), notificationLine(210, 8)));
  expect(await readItem(recordKey("JOB", 210))).toMatchObject({ silent: true });
  expect(await readItem(notificationKey(8, 210))).not.toHaveProperty("push");
  await run(streamOf(jobLine(211, 1), notificationLine(211, 8)), { notifies: true });
  expect(await readItem(recordKey("JOB", 211))).not.toHaveProperty("silent");
  expect(await readItem(notificationKey(8, 211))).toMatchObject({ push: true });
});

test("a dry run finds a login that two users of one file have, even side by side", async () => {
  const lines = Array.from({ length: 10 }, (_, at) => userLine(300 + at, { email: "shared@example.com" }));
  const { summary } = await run(streamOf(...lines), { dryRun: true });
  expect(summary).toMatchObject({ created: 1, failed: 9 });
});

test("D35: lines of one record apply in the order of the file", async () => {
  const lines = Array.from({ length: 200 }, (_, at) => ({ type: "job", id: 400 + (at % 4), title: `Title ${at}` }));
  const first = [400, 401, 402, 403].map((id) => jobLine(id, 1));
  const { summary } = await run(streamOf(...first, ...lines), { concurrency: 32 });
  expect(summary).toMatchObject({ created: 4, updated: 200 });
  for (const at of [0, 1, 2, 3]) {
    expect(await readItem(recordKey("JOB", 400 + at))).toMatchObject({ record: { title: `Title ${196 + at}` } });
  }
});

test("D26: counts are exact after an import of one user's notifications side by side", async () => {
  const lines = Array.from({ length: 80 }, (_, at) =>
    notificationLine(1_000 + at, 9, { record_type: at % 2 ? "Job" : "Chat" }),
  );
  await run(streamOf(...lines), { concurrency: 32 });
  expect(await findUnreadCounts(9)).toEqual({ notifications: 80, timesheets: 0, jobs: 40, chats: 40 });
});

const streamed = usualOrFull(1_500, 10_000);

test(`a stream of ${streamed} lines is never read further ahead than the lines in work`, async () => {
  const concurrency = 16;
  let sent = 0;
  let done = 0;
  let mostAhead = 0;
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let id = 1; id <= streamed; id += 1) {
      mostAhead = Math.max(mostAhead, sent - done);
      sent += 1;
      yield Buffer.from(`${JSON.stringify({ type: "job", id: 50_000 + id })}\n`);
    }
  }
  const onError = ({ field }: LineError) => {
    if (field === "title") done += 1;
  };
  const { summary } = await run(source(), { dryRun: true, concurrency, onError });
  expect(summary).toMatchObject({ failed: streamed });
  expect(mostAhead).toBeLessThanOrEqual(concurrency + 1);
});

test("a stop ends the lines in work, and one that it cuts off is none; repeating finishes the rest", async () => {
  const stop = new AbortController();
  const lines = Array.from({ length: 100 }, (_, at) => jobLine(600 + at, 1));
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* streamOf(...lines.slice(0, 40));
    yield Buffer.from(JSON.stringify(lines[40]).slice(0, 20));
    stop.abort();
    yield* streamOf(...lines.slice(40));
  }
  const { summary } = await run(source(), { signal: stop.signal });
  expect(summary).toMatchObject({ created: 40, failed: 0, isComplete: false });
  expect((await run(streamOf(...lines))).summary).toMatchObject({ created: 60, unchanged: 40, isComplete: true });
});

test("an import that goes on from a line has done all before it", async () => {
  const done: number[] = [];
  const onProgress = ({ doneUpTo }: ImportProgress) => done.push(doneUpTo);
  await run(streamOf("", "", jobLine(6_900, 1), "garbage"), { from: 3, onProgress });
  expect(done).toEqual([2, 4]);
});

test("errors are reported in the order of the lines, whatever is known first; progress says up to which line all is done", async () => {
  const lines = Array.from({ length: 60 }, (_, at) => (at % 2 ? "garbage" : { type: "job", id: 7_000 + at }));
  const reported: number[] = [];
  const ahead: number[] = [];
  let last: Partial<ImportProgress> = {};
  await run(streamOf(...lines), {
    onError: ({ line }) => reported.push(line),
    onProgress: (progress) => {
      ahead.push(progress.doneUpTo - (reported.at(-1) ?? 0));
      last = progress;
    },
  });
  expect([...new Set(reported)]).toEqual(lines.map((_, at) => at + 1));
  const bytesRead = (await buffer(streamOf(...lines))).length;
  expect([new Set(ahead), last]).toEqual([new Set([0]), { bytesRead, doneUpTo: lines.length, failed: lines.length }]);
});

test("--from passes over the lines before it, and counts them as none", async () => {
  const { summary } = await run(streamOf("garbage", jobLine(7_100, 1), jobLine(7_101, 1)), { from: 3 });
  expect(summary).toMatchObject({ created: 1, failed: 0, isComplete: true });
  expect(await readItem(recordKey("JOB", 7_100))).toBeUndefined();
});

test("records are read and written many at once: 1,000 new ones by 30 calls, 2 of them for the history of the run, and the same again by 20", async () => {
  const calls: string[] = [];
  tableClient().middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        calls.push(String(commandName));
        return next(args);
      },
    { step: "initialize", name: "calls" },
  );
  const lines = Array.from({ length: 1_000 }, (_, at) => jobLine(10_000 + at, 1));
  try {
    expect((await run(streamOf(...lines))).summary).toMatchObject({ created: 1_000 });
    expect(new Set(calls)).toEqual(
      new Set(["BatchGetItemCommand", "BatchWriteItemCommand", "TransactWriteItemsCommand"]),
    );
    expect(calls.length).toBeLessThanOrEqual(30);
    expect(calls.filter((name) => name === "BatchWriteItemCommand")).toHaveLength(2);
    calls.length = 0;
    expect((await run(streamOf(...lines))).summary).toMatchObject({ unchanged: 1_000 });
    expect(new Set(calls)).toEqual(new Set(["BatchGetItemCommand"]));
    expect(calls.length).toBeLessThanOrEqual(20);
  } finally {
    tableClient().middlewareStack.remove("calls");
  }
});

test("a source that fails ends the import after the lines in work", async () => {
  async function* source() {
    yield* streamOf(jobLine(700, 1), jobLine(701, 1));
    throw new Error("the disk is gone");
  }
  let last = 0;
  const onProgress = ({ doneUpTo }: ImportProgress) => {
    last = doneUpTo;
  };
  await expect(run(source(), { dryRun: true, onProgress })).rejects.toThrow("the disk is gone");
  expect(last).toBe(2);
});

test("a line that the table cannot hold is reported, and stops no other", async () => {
  const refuse = (_: string, input: object) => {
    if (JSON.stringify(input).includes("unstorable"))
      throw Object.assign(new Error("Nested too deep"), { name: "ValidationException" });
  };
  const lines = [jobLine(810, 1, { title: "unstorable" }), jobLine(811, 1)];
  const { summary, errors } = await beforeCalls(refuse, () => run(streamOf(...lines)));
  expect([summary.created, errors]).toEqual([1, ["1  not_storable"]]);
});

test("a store that fails ends the import with its error instead of failing every line", async () => {
  const name = "broken-store";
  tableClient().middlewareStack.add(
    () => async () => {
      throw new Error("the store is gone");
    },
    { step: "initialize", name },
  );
  const lines = Array.from({ length: 100 }, (_, at) => jobLine(800 + at, 1));
  const broken = run(streamOf(...lines));
  await expect(broken).rejects.toThrow("the store is gone");
  tableClient().middlewareStack.remove(name);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLagWatch } from "../../../infra/tools/import/import-lag.ts";
import { createProgressBar } from "../../../infra/tools/import/import-progress.ts";
import { parseRecordLine } from "../../../shared/domain/records/record-line.ts";
import { jobLine } from "../../support/records/records.ts";
import { countRecords } from "../../support/records/store.ts";
import { write } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";

useService();
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

function screen(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  return { written, stream: { isTTY, write } as unknown as NodeJS.WriteStream };
}

const progress = (done: number) => ({ bytesRead: done * 10, done, doneUpTo: done, failed: 2 });

test("where there is no terminal, progress is a plain line every 5 seconds", () => {
  const { written, stream } = screen(false);
  const bar = createProgressBar(stream, 100_000);
  for (let second = 1; second <= 12; second += 1) {
    vi.advanceTimersByTime(1_000);
    bar.show(progress(second * 500), second > 6 ? 1_200 : 0);
  }
  bar.clear();
  expect(written).toEqual([
    "25% line 2500, 500 a second, 2 failed\n",
    "50% line 5000, 500 a second, 2 failed; workers 1200 lines behind\n",
  ]);
});

test("a terminal has one line, which is cleared for what is said beside it", () => {
  const { written, stream } = screen(true);
  const bar = createProgressBar(stream, undefined);
  vi.advanceTimersByTime(1_000);
  bar.show(progress(500), 0);
  bar.show(progress(501), 0);
  bar.clear();
  bar.clear();
  expect(written).toEqual(["\r\x1b[2Kline 500, 500 a second, 2 failed", "\r\x1b[2K"]);
});

test("the lag is the lines from the oldest sample that is not counted to the newest record", async () => {
  const lag = createLagWatch();
  const add = async (line: number) => {
    const sent = jobLine(line, 1);
    lag.written(line, parseRecordLine(sent, "GB"), await write(sent));
    vi.advanceTimersByTime(100);
  };
  for (let line = 1; line <= 40; line += 1) await add(line);
  await lag.look();
  expect(lag.behind()).toBe(39);
  await countRecords(Array.from({ length: 20 }, (_, at) => ["job", at + 1] as const));
  await lag.look();
  expect(lag.behind()).toBe(19);
  await countRecords(Array.from({ length: 20 }, (_, at) => ["job", at + 21] as const));
  await lag.look();
  expect(lag.behind()).toBe(0);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { showImport } from "../../../infra/tools/import/import-progress.ts";

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
  const shown = showImport(stream, 100_000);
  for (let second = 1; second <= 12; second += 1) {
    vi.advanceTimersByTime(1_000);
    shown.onProgress(progress(second * 500));
  }
  shown.clear();
  expect(written).toEqual(["25% line 2500, 500 a second, 2 failed\n", "50% line 5000, 500 a second, 2 failed\n"]);
});

test("a terminal has one line, which is cleared for what is said beside it", () => {
  const { written, stream } = screen(true);
  const shown = showImport(stream, undefined);
  vi.advanceTimersByTime(1_000);
  shown.onProgress(progress(500));
  shown.onProgress(progress(501));
  shown.clear();
  shown.clear();
  expect(written).toEqual(["\r\x1b[2Kline 500, 500 a second, 2 failed", "\r\x1b[2K"]);
});

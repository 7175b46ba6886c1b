import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createProgressLine, describeReading } from "../../../infra/tools/cli/progress-line.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

function begin(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const line = createProgressLine({ isTTY, write } as unknown as NodeJS.WriteStream);
  return { line, take: () => written.splice(0) };
}

test("without a terminal, progress is a plain line every 5 seconds, even if nothing goes on", () => {
  const { line, take } = begin(false);
  let done = 0;
  vi.advanceTimersByTime(5_000);
  line.show(() => `${done} done`);
  vi.advanceTimersByTime(4_999);
  expect(take()).toEqual([]);
  done = 7;
  vi.advanceTimersByTime(5_001);
  line.end();
  vi.advanceTimersByTime(60_000);
  expect(take()).toEqual(["7 done\n", "7 done\n"]);
});

test("a terminal has one line, renewed every second, which is cleared for what is said beside it", () => {
  const { line, take } = begin(true);
  line.clear();
  line.show(() => "7 done");
  vi.advanceTimersByTime(2_000);
  line.clear();
  line.clear();
  vi.advanceTimersByTime(1_000);
  line.end();
  const [shown, cleared] = ["\r\x1b[2K7 done", "\r\x1b[2K"];
  expect(take()).toEqual([shown, shown, cleared, shown, cleared]);
});

test("it says for how long the table keeps the command waiting, and why, until the table goes on", () => {
  const { line, take } = begin(false);
  line.waits("TimeoutError");
  vi.advanceTimersByTime(5_000);
  line.waits("ThrottlingException");
  line.show(() => "7 done");
  vi.advanceTimersByTime(5_000);
  line.waits(undefined);
  vi.advanceTimersByTime(5_000);
  expect(take()).toEqual([
    "the table has kept this waiting for 5 s (TimeoutError)\n",
    "7 done; the table has kept this waiting for 10 s (ThrottlingException)\n",
    "7 done\n",
  ]);
});

test("how far a table is read is a share if its size is known, and a rate", () => {
  expect(describeReading(10_613, 186_631, 2_000)).toBe("5% 10613 of some 186631 items read, 5307 a second");
  expect(describeReading(250, 200, 1_000)).toBe("100% 250 of some 200 items read, 250 a second");
  expect(describeReading(250, undefined, 1_000)).toBe("250 items read, 250 a second");
});

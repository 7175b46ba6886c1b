import { expect, test } from "vitest";
import { maxLineBytes, readJsonLines, type SourceLine, splitLines } from "../../../infra/tools/import/import-lines.ts";

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function split(text: string, size = 3): Promise<[number, string][]> {
  const lines: [number, string][] = [];
  for await (const { number, bytes } of splitLines(inChunks(Buffer.from(text), size)))
    lines.push([number, String(bytes)]);
  return lines;
}

test.each([
  1, 2, 3, 100,
])("LF, CRLF, blank lines, a byte order mark and no last line end, in chunks of %i bytes", async (size) => {
  expect(await split("\uFEFFone\ntwo é\r\n\nfour", size)).toEqual([
    [1, "one"],
    [2, "two é"],
    [3, ""],
    [4, "four"],
  ]);
});

test.each([
  ["", []],
  ["\uFEFF", []],
  ["\n \t\r\n[1]\r\n\n[2]", [3, 5]],
])("of %j, JSON Lines has the records in lines %j", async (text, expected) => {
  const numbers: number[] = [];
  for await (const { number } of readJsonLines(inChunks(Buffer.from(text), 3))) numbers.push(number);
  expect(numbers).toEqual(expected);
});

test("a line may have 256 KiB; a longer one is reported and the next one is read", async () => {
  const longest = "x".repeat(maxLineBytes);
  const lines = await split(`\uFEFF${longest}\n${longest}\r\n${longest}y\nnext\n${longest.repeat(20)}`, 65_536);
  expect(lines.map(([number, text]) => [number, text.length])).toEqual([
    [1, maxLineBytes],
    [2, maxLineBytes],
    [3, "too_long".length],
    [4, 4],
    [5, "too_long".length],
  ]);
});

test("bytes read rise to the size of the stream", async () => {
  const lines: SourceLine[] = [];
  for await (const line of splitLines(inChunks(Buffer.from("a\nbc\r\ndef"), 4))) lines.push(line);
  expect(lines.map(({ bytesRead }) => bytesRead)).toEqual([2, 6, 9]);
});

test("an abort ends the lines even while the stream waits", async () => {
  const stop = new AbortController();
  async function* waiting(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("one\n");
    stop.abort();
    await new Promise(() => {});
  }
  const numbers: number[] = [];
  for await (const { number } of splitLines(waiting(), stop.signal)) numbers.push(number);
  expect(numbers).toEqual([1]);
});

import { expect, test } from "vitest";
import { mergeReads, type Source } from "../../shared/table/reads.ts";
import { fc } from "../support/service/properties.ts";

interface Row {
  readonly id: number;
}

/** Sources over ids, and how many rows they were asked for. */
function sourcesOf(shards: readonly (readonly number[])[]) {
  const asked = { rows: 0, calls: 0 };
  const sources = shards.map((ids): Source<Row> => {
    const sorted = newestFirst(ids);
    return {
      async read(below, least) {
        asked.calls += 1;
        const rows = sorted.filter(({ id }) => id < below).slice(0, least);
        asked.rows += rows.length;
        return rows;
      },
    };
  });
  return { sources, asked };
}

const newestFirst = (ids: readonly number[]) => ids.toSorted((one, other) => other - one).map((id): Row => ({ id }));
const wanted = (limit: number, below = 10_000_000) => ({ below, limit });

test("the highest rows of all sources, in order, whatever source they are in", async () => {
  const key = fc.integer({ min: 0, max: 400 });
  // Most rows in one shard: the others' shares are not what is wanted of it.
  const shard = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 7 }) });
  const placed = fc.uniqueArray(fc.tuple(key, shard), { selector: ([each]) => each, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(placed, fc.integer({ min: 1, max: 30 }), fc.option(key), async (rows, limit, below) => {
      const shards = Array.from({ length: 8 }, (_, at) =>
        rows.flatMap(([each, shard]) => (shard === at ? [each] : [])),
      );
      const found = await mergeReads(sourcesOf(shards).sources, wanted(limit, below ?? undefined));
      const expected = rows.map(([each]) => each).filter((each) => below === null || each < below);
      expect(found).toEqual(newestFirst(expected).slice(0, limit));
    }),
  );
});

test("a source that has all the wanted rows is read as far, whatever the others had first", async () => {
  const high = Array.from({ length: 40 }, (_, at) => 500 + at);
  const low = Array.from({ length: 40 }, (_, at) => 1 + at);
  const { sources } = sourcesOf([high, low]);
  for (const share of [1, 5, 20, 30]) {
    expect(await mergeReads(sources, { ...wanted(30), share })).toEqual(newestFirst(high).slice(0, 30));
  }
});

test("a row that moves from one source to another while they are read is found once", async () => {
  const { sources } = sourcesOf([
    [9, 7, 5, 3],
    [8, 7, 6, 5, 4],
  ]);
  for (const share of [undefined, 4, 20]) {
    expect(await mergeReads(sources, { below: 100, limit: 4, share })).toEqual(newestFirst([9, 8, 7, 6]));
    expect(await mergeReads(sources, { below: 100, limit: 20, share })).toEqual(newestFirst([9, 8, 7, 6, 5, 4, 3]));
  }
});

test("what is read depends on what is wanted, not on how much there is", async () => {
  const read = async (count: number, limit: number) => {
    const shards = Array.from({ length: 8 }, (_, shard) =>
      Array.from({ length: count / 8 }, (_, at) => at * 8 + shard),
    );
    const { sources, asked } = sourcesOf(shards);
    await mergeReads(sources, wanted(limit));
    return asked;
  };
  expect(await read(100_000, 20)).toEqual(await read(1_000, 20));
  expect((await read(100_000, 20)).rows).toBeLessThanOrEqual(60);
  expect((await read(100_000, 1)).rows).toBeLessThanOrEqual(8);
});

test("one source that holds everything is asked on, and the others are left alone", async () => {
  const full = Array.from({ length: 1_000 }, (_, at) => at);
  const { sources, asked } = sourcesOf([full, [-1], [], []]);
  expect(await mergeReads(sources, wanted(50))).toEqual(newestFirst(full).slice(0, 50));
  expect(asked.calls).toBe(4 + 1);
  expect(asked.rows).toBeLessThanOrEqual(16 + 50);
});

test("far down, sources of the same density are read little further than is wanted", async () => {
  const shards = [0, 1, 2].map((shard) => Array.from({ length: 1_000 }, (_, at) => at * 3 + shard));
  const { sources, asked } = sourcesOf(shards);
  expect(await mergeReads(sources, wanted(1_001))).toEqual(newestFirst(shards.flat()).slice(0, 1_001));
  expect(asked.rows).toBeLessThanOrEqual(1_001 + 20);
});

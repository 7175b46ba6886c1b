import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { createTable } from "../../../infra/runtime/engine/local-table.ts";
import { type StreamPump, startStreamPump } from "../../../infra/runtime/functions/stream-pump.ts";
import { openTableStream, type TableStream } from "../../../infra/runtime/functions/table-stream.ts";
import type { LocalStreamMapping } from "../../../infra/runtime/stack/event-sources.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const streamArn = "arn:aws:dynamodb:eu-west-2:000000000000:table/Records/stream/local";
const patience = 15_000;
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
let client: DynamoDBClient;
let streams: DynamoDBStreamsClient;
let tableName: string;
let placesDirectory: string;

beforeAll(() => {
  const config = { endpoint: inject("engineEndpoint"), region: "eu-west-2", credentials: localCredentials };
  client = new DynamoDBClient(config);
  streams = new DynamoDBStreamsClient(config);
});
afterAll(() => {
  for (const each of [client, streams]) each.destroy();
});
beforeEach(async () => {
  [tableName, placesDirectory] = [`stream-${crypto.randomUUID()}`, newFolder()];
  await createTable(client, inject("tableDefinition"), tableName);
});

/** Writes items `<kind>#<n>` with a number, one after the other; or one item of that id with each number. */
async function write(kind: string, numbers: readonly number[], id?: number): Promise<void> {
  for (const number of numbers) {
    const Item = { pk: `${kind}#${id ?? number}`, sk: kind, number };
    await DynamoDBDocumentClient.from(client).send(new PutCommand({ TableName: tableName, Item }));
  }
}

async function start(
  consumers: Record<string, (event: DynamoDBStreamEvent) => unknown>,
  changes: Partial<LocalStreamMapping> = {},
  stream?: TableStream,
): Promise<StreamPump> {
  const mapping = { streamArn, batchSize: 100, reportsItemFailures: true, bisects: false, filters: [], ...changes };
  const pump = startStreamPump({
    stream: stream ?? (await openTableStream(streams, tableName)),
    consumers: Object.entries(consumers).map(([functionName, consume]) => ({
      mapping: { ...mapping, functionName },
      invoke: async (event) => consume(event),
    })),
    placesDirectory,
  });
  onTestFinished(pump.stop);
  return pump;
}

function numbersOf({ Records }: DynamoDBStreamEvent): number[] {
  return Records.map(({ dynamodb }) => Number((dynamodb?.NewImage ?? dynamodb?.OldImage)?.number?.N));
}

/** DynamoDB's answers for a stream of two shards, of which the first has ended; it describes them on two pages, the second first. */
function shardsOf(numbers: Readonly<Record<"first" | "second", readonly number[]>>): DynamoDBStreamsClient {
  type Input = Partial<Record<"ExclusiveStartShardId" | "ShardId" | "SequenceNumber" | "ShardIterator", string>>;
  const answers: Record<string, (input: Input) => object> = {
    ListStreamsCommand: () => ({ Streams: [{ StreamArn: streamArn }] }),
    DescribeStreamCommand: ({ ExclusiveStartShardId: after }) => ({
      StreamDescription: after
        ? { Shards: [{ ShardId: "first", ParentShardId: "trimmed" }] }
        : { Shards: [{ ShardId: "second", ParentShardId: "first" }], LastEvaluatedShardId: "second" },
    }),
    GetShardIteratorCommand({ ShardId, SequenceNumber = "0" }) {
      if (ShardId === "gone") throw Object.assign(new Error(), { name: "TrimmedDataAccessException" });
      return { ShardIterator: `${ShardId} ${SequenceNumber}` };
    },
    GetRecordsCommand: ({ ShardIterator = "" }) => {
      const [shard, after] = ShardIterator.split(" ") as ["first" | "second", string];
      const left = numbers[shard].filter((number) => number > Number(after));
      const Records = left.map((number) => ({
        eventName: "INSERT",
        dynamodb: { SequenceNumber: String(number), NewImage: { number: { N: String(number) } } },
      }));
      return { Records, ...(shard === "second" && { NextShardIterator: `second ${numbers.second.at(-1)}` }) };
    },
  };
  const send = async (command: { input: Input }) => answers[command.constructor.name]?.(command.input);
  return { send } as unknown as DynamoDBStreamsClient;
}

/** Names the record of one item as failed, as a function does. */
function failing({ Records }: DynamoDBStreamEvent, number: number): object {
  const failed = Records.filter(({ dynamodb }) => dynamodb?.NewImage?.number?.N === String(number));
  return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber })) };
}

describe("the pump of the table's stream", () => {
  it("hands over changes as Lambda does: both images, and an id that stays the same", async () => {
    await write("INVOICE", [1]);
    const events: DynamoDBStreamEvent[] = [];
    const pump = await start({
      one: (event) => void events.push(event),
      other: (event) => void events.push(event),
    });
    await pump.settled(patience);
    const [record, again] = events.map(({ Records }) => Records[0]);
    const image = { pk: { S: "INVOICE#1" }, sk: { S: "INVOICE" }, number: { N: "1" } };
    expect(record).toEqual({
      eventID: expect.stringMatching(/^[0-9a-f]{32}$/),
      eventName: "INSERT",
      eventVersion: "1.1",
      eventSource: "aws:dynamodb",
      awsRegion: "eu-west-2",
      eventSourceARN: streamArn,
      dynamodb: {
        ApproximateCreationDateTime: expect.closeTo(Date.now() / 1000, -2),
        Keys: { pk: { S: "INVOICE#1" }, sk: { S: "INVOICE" } },
        NewImage: image,
        SequenceNumber: expect.stringMatching(/^\d+$/),
        SizeBytes: expect.any(Number),
        StreamViewType: "NEW_AND_OLD_IMAGES",
      },
    });
    expect(again).toEqual(record);
  });

  it("gives each consumer what its filters let through, in order, in batches of at most its size", async () => {
    await write("INVOICE", upTo(5));
    await write("TOTALS", upTo(5));
    await write("JOB", upTo(3));
    const batches: number[][] = [];
    const filters = [{ dynamodb: { Keys: { sk: { S: ["INVOICE", "JOB"] } } } }];
    const pump = await start({ one: (event) => void batches.push(numbersOf(event)) }, { filters, batchSize: 3 });
    await pump.settled(patience);
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5, 1],
      [2, 3],
    ]);
  });

  it("leaves out writes that changed nothing, as DynamoDB does", async () => {
    await write("INVOICE", [1, 1, 2, 2, 3], 7);
    const seen: number[] = [];
    const pump = await start({ one: (event) => void seen.push(...numbersOf(event)) });
    await pump.settled(patience);
    expect(seen).toEqual([1, 2, 3]);
  });

  it("brings back what failed and all after it, ever later, until it is taken; nothing is left out and nothing overtakes", async () => {
    await write("INVOICE", upTo(6));
    const batches: number[][] = [];
    const times: number[] = [];
    const pump = await start({
      one: (event) => {
        batches.push(numbersOf(event));
        times.push(performance.now());
        return batches.length < 4 ? failing(event, 4) : undefined;
      },
    });
    await pump.settled(patience);
    expect(batches).toEqual([upTo(6), [4, 5, 6], [4, 5, 6], [4, 5, 6]]);
    for (const [at, least] of [100, 200, 400].entries()) {
      expect((times[at + 1] ?? 0) - (times[at] ?? 0)).toBeGreaterThan(least - 5);
    }
  });

  it("leaves the one record alone whose call dies, once those before it are processed; those after it wait", async () => {
    await write("INVOICE", upTo(6));
    const batches: number[][] = [];
    let isDying = true;
    const one = (event: DynamoDBStreamEvent) => {
      batches.push(numbersOf(event));
      if (isDying && numbersOf(event).includes(5)) throw new Error("The process has ended");
    };
    const pump = await start({ one }, { bisects: true });
    await expect.poll(() => batches.at(-1), { timeout: patience }).toEqual([5]);
    isDying = false;
    await pump.settled(patience);
    const tried = batches.map(String);
    expect(tried.slice(0, 5)).toEqual(["1,2,3,4,5,6", "1,2,3", "4,5,6", "4,5", "4"]);
    expect(tried.slice(-2)).toEqual(["5", "6"]);
  });

  it.each([
    ["an error", () => Promise.reject(new Error("down"))],
    ["an empty id", () => ({ batchItemFailures: [{ itemIdentifier: "" }] })],
    ["an id of no record", () => ({ batchItemFailures: [{ itemIdentifier: "999999" }] })],
    ["failures that are no list", () => ({ batchItemFailures: "all" })],
    ["a failure without an id", () => ({ batchItemFailures: [null] })],
  ])("brings back the whole batch on %s", async (_, fail) => {
    await write("INVOICE", upTo(3));
    const batches: number[][] = [];
    const pump = await start({
      one: (event) => {
        batches.push(numbersOf(event));
        return batches.length === 1 ? fail() : { batchItemFailures: [] };
      },
    });
    await pump.settled(patience);
    expect(batches).toEqual([upTo(3), upTo(3)]);
  });

  it.each([
    ["an empty stream", async () => ({ records: [], place: undefined, askedAt: performance.now() }), 100],
    ["a stream that cannot be read", () => Promise.reject(new Error("down")), 500],
  ])("looks at %s again after a while", async (_, look, milliseconds) => {
    const began = performance.now();
    let looks = 0;
    const read = async () => {
      looks += 1;
      await new Promise(setImmediate);
      return look();
    };
    await start({ one: () => expect.unreachable() }, {}, { arn: streamArn, read });
    await pause(250);
    expect(looks).toBeGreaterThan(0);
    // A timer may end a little early, and the next one then at once.
    expect(looks).toBeLessThanOrEqual(5 * Math.ceil((performance.now() - began) / milliseconds));
  });

  it("lets no consumer wait for another that fails", async () => {
    await write("INVOICE", upTo(3));
    let isDown = true;
    const seen: Record<string, number[]> = { one: [], other: [] };
    const pump = await start({
      one: (event) => {
        if (isDown) throw new Error("down");
        seen.one?.push(...numbersOf(event));
      },
      other: (event) => void seen.other?.push(...numbersOf(event)),
    });
    await expect.poll(() => seen.other, { timeout: patience }).toEqual(upTo(3));
    await expect(pump.settled(50)).rejects.toThrow("one");
    expect(seen.one).toEqual([]);
    isDown = false;
    await pump.settled(patience);
    expect(seen.one).toEqual(upTo(3));
  });
});

describe("a pump that is started again", () => {
  it("goes on after the last batch that each consumer confirmed, even if the one before was killed", async () => {
    await write("INVOICE", upTo(4));
    const [before, after]: [number[], number[]] = [[], []];
    const [isAtWork, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // A consumer that does not return leaves the same as a process that is killed.
    await start(
      {
        one: (event) => {
          before.push(...numbersOf(event));
          if (before.length < 4) return;
          isAtWork.resolve();
          return end.promise;
        },
      },
      { batchSize: 2 },
    );
    await isAtWork.promise;
    const second = await start({ one: (event) => void after.push(...numbersOf(event)) });
    await second.settled(patience);
    end.resolve();
    expect([before, after]).toEqual([upTo(4), [3, 4]]);
  });

  it("repeats what a consumer had not confirmed when it stopped, and nothing that it had", async () => {
    await write("INVOICE", upTo(5));
    const batches: number[][] = [];
    const isDown = Promise.withResolvers<void>();
    const first = await start({
      one: (event) => {
        batches.push(numbersOf(event));
        if (batches.length === 2) isDown.resolve();
        return failing(event, 3);
      },
    });
    await isDown.promise;
    await first.stop();
    const second = await start({ one: (event) => void batches.push(numbersOf(event)) });
    await second.settled(patience);
    expect(batches[0]).toEqual(upTo(5));
    expect(batches.slice(1).every((batch) => batch.join() === "3,4,5")).toBe(true);
    expect(batches.at(-1)).toEqual([3, 4, 5]);
  });

  it("goes on in a shard that has ended with what was not confirmed, and then in the next shard", async () => {
    const seen: number[] = [];
    const hasFailed = Promise.withResolvers<void>();
    const failing = (event: DynamoDBStreamEvent) => {
      if (numbersOf(event).includes(2)) {
        hasFailed.resolve();
        throw new Error("down");
      }
      seen.push(...numbersOf(event));
    };
    const open = () => openTableStream(shardsOf({ first: [1, 2], second: [3] }), tableName);
    const first = await start({ one: failing }, { batchSize: 1 }, await open());
    await hasFailed.promise;
    await first.stop();
    expect(seen).toEqual([1]);
    await start({ one: (event) => void seen.push(...numbersOf(event)) }, {}, await open());
    await expect.poll(() => seen, { timeout: patience }).toEqual([1, 2, 3]);
  });

  it.each([
    ["of a table that was made again", { streamArn: "earlier", place: { shardId: "second", after: "3" } }],
    ["whose place the engine no longer has", { streamArn, place: { shardId: "gone" } }],
  ])("begins with the oldest record of a stream %s", async (_, place) => {
    writeFileSync(join(placesDirectory, "one.json"), JSON.stringify(place));
    const seen: number[] = [];
    const stream = await openTableStream(shardsOf({ first: [1, 2], second: [3] }), tableName);
    await start({ one: (event) => void seen.push(...numbersOf(event)) }, {}, stream);
    await expect.poll(() => seen, { timeout: patience }).toEqual([1, 2, 3]);
  });

  it("finishes the batch in hand before it stops", async () => {
    await write("INVOICE", [1]);
    const called = Promise.withResolvers<void>();
    let isFinished = false;
    const pump = await start({
      one: async () => {
        called.resolve();
        await new Promise(setImmediate);
        isFinished = true;
      },
    });
    await called.promise;
    await pump.stop();
    expect(isFinished).toBe(true);
  });
});

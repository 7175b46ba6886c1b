import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { beforeEach, expect, test, vi } from "vitest";
import { handler as updateTotals } from "../../../functions/workers/update-totals.ts";
import { handler } from "../../../functions/workers/write-heartbeats.ts";
import { findWatermark } from "../../../shared/db/lists/watermark.ts";
import { countOpenShards } from "../../../shared/db/table/stream-shards.ts";
import { deleteItemAt } from "../../../shared/db/table/table.ts";
import { readItem } from "../../support/records/writes.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { nothingFailed, streamRecord } from "../../support/workers/workers.ts";

const pauses: number[] = [];
let duringPause: () => Promise<void> = async () => {};

vi.mock("../../../shared/backoff.ts", async (original) => ({
  ...(await original<typeof import("../../../shared/backoff.ts")>()),
  async sleep(ms: number) {
    pauses.push(ms);
    await duringPause();
  },
}));

useService();

const watermarkKey = { pk: "WATERMARK", sk: "TOTALS" };
const keyOf = (number: number) => ({ pk: `HEARTBEAT#${number}`, sk: "HEARTBEAT" });
const heartbeats = () => Promise.all(Array.from({ length: 10 }, (_, number) => readItem(keyOf(number))));

beforeEach(async () => {
  process.env.METRIC_NAMESPACE = "Test";
  pauses.length = 0;
  loggedLines.length = 0;
  duringPause = async () => {};
  await deleteItemAt(watermarkKey);
});

test("D43: shards that another follows are not counted, on whatever page it is", async () => {
  expect(await countOpenShards()).toBe(1);
  const shard = (ShardId: string, ParentShardId?: string) => ({ ShardId, ParentShardId });
  const pages = [
    { Shards: [shard("a"), shard("b", "gone")], LastEvaluatedShardId: "b" },
    { Shards: [shard("c", "a"), shard("d", "b"), shard("e", "b")] },
  ];
  const send = vi.spyOn(DynamoDBStreamsClient.prototype, "send");
  send.mockImplementation(async () => ({ StreamDescription: pages.shift() }));
  expect(await countOpenShards()).toBe(3);
  expect(send.mock.calls.map(([{ input }]) => "ExclusiveStartShardId" in input && input.ExclusiveStartShardId)).toEqual(
    [undefined, "b"],
  );
  send.mockRestore();
});

test("ten heartbeats a shard are written, and again 25 seconds later, each with the moment before its write", async () => {
  const moments: unknown[][] = [];
  duringPause = async () => {
    moments.push((await heartbeats()).map((item) => item?.begun_at));
  };
  const before = Date.now();
  await handler();
  moments.push((await heartbeats()).map((item) => item?.begun_at));
  expect(pauses).toEqual([25_000]);
  const [[first] = [], [second] = []] = moments as number[][];
  expect(moments).toEqual([Array(10).fill(first), Array(10).fill(second)]);
  expect(before).toBeLessThanOrEqual(Number(first));
  expect(Number(first)).toBeLessThanOrEqual(Number(second));
  expect(await readItem(keyOf(10))).toBeUndefined();
});

test("how far the totals are behind is reported once every heartbeat has come through", async () => {
  await handler();
  await handler();
  expect(countedMetrics()).toEqual([]);
  const Records = (await heartbeats()).map((after, number) => streamRecord(keyOf(number), { after }));
  expect(await updateTotals({ Records })).toEqual(nothingFailed);
  const asOf = await findWatermark();
  vi.useFakeTimers({ toFake: ["Date"], now: Number(asOf) + 42_000 });
  await handler();
  vi.useRealTimers();
  expect(countedMetrics()).toEqual([{ TotalsLag: 42 }]);
});

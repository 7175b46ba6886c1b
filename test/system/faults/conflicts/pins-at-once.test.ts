import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { handler as deliverPin } from "../../../../functions/workers/deliver-pin.ts";
import { queues } from "../../../../infra/functions/queues.ts";
import { sleep } from "../../../../shared/backoff.ts";
import { type AwsCall, watchCalls } from "../../../support/faults/aws-calls.ts";
import { useHeldItems } from "../../../support/faults/held-items.ts";
import { useModelClock } from "../../../support/faults/model-clock.ts";
import { readItem } from "../../../support/records/writes.ts";
import { deliverPins, pinMessage } from "../../../support/requests/pins.ts";
import { loggedLines } from "../../../support/service/capture-logs.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { useService } from "../../../support/service/service.ts";
import { nothingFailed, queueEvent } from "../../../support/workers/workers.ts";

const aSecond = 50;
const seconds = usualFreshOrFull(3, 6, 600);
const batchSize = 10;
/** Longer than DynamoDB and SES take. */
const latencyMs = { table: 20, email: 200 };

useService();
const held = useHeldItems();
const clock = useModelClock();
/** The ages at which messages were sent, in milliseconds. */
const ages = new Map<string, number>();
let isModel = false;

beforeAll(deliverPins);
afterEach(() => {
  held.end();
  vi.unstubAllEnvs();
});

watchCalls(async (call, send) => {
  if (!isModel) return send();
  const address = addressIn(call);
  await sleep(address ? latencyMs.email : latencyMs.table);
  if (!address) return send();
  ages.set(address, Date.now() - Number(address.split("-")[0]));
  return {};
});

/** The address that an e-mail goes to; undefined for any other call. */
function addressIn({ input }: AwsCall): string | undefined {
  const { Destination } = input as { readonly Destination?: { readonly ToAddresses: readonly string[] } };
  return Destination?.ToAddresses[0];
}

/** The queue of pins and its worker, as Lambda calls it: ten messages a call, so many calls at once. */
class Worker {
  readonly #waiting: object[] = [];
  #running = 0;
  #done = 0;

  get done(): number {
    return this.#done;
  }

  add(message: object): void {
    this.#waiting.push(message);
    if (this.#running < queues.pins.mostCalls) void this.#work();
  }

  async #work(): Promise<void> {
    this.#running += 1;
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      expect(await deliverPin(queueEvent(...batch))).toEqual(nothingFailed);
      this.#done += batch.length;
      loggedLines.length = 0;
    }
    this.#running -= 1;
  }

  #next(): object[] {
    return this.#waiting.splice(0, batchSize);
  }
}

test(
  `D11: ${aSecond} requests a second for ${seconds} seconds are each sent within 60 seconds: nothing holds the one count of messages`,
  async () => {
    vi.stubEnv("MAIL_CEILINGS", '{"perDay":1000000}');
    held.begin();
    isModel = true;
    await clock.run(async () => {
      const worker = new Worker();
      for (let at = 0; at < seconds * aSecond; at += 1) {
        // Registrations make the most writes, and share the sequence of ids as well.
        worker.add(pinMessage(`${Date.now()}-${at}@example.com`, { registers: true }));
        await sleep(1_000 / aSecond);
      }
      while (worker.done < seconds * aSecond) await sleep(100);
    });
    isModel = false;
    expect(ages.size).toBe(seconds * aSecond);
    const oldest = Math.max(...ages.values());
    if (process.env.SHOW_FIGURES) console.error(JSON.stringify({ messages: ages.size, oldestMs: oldest }));
    expect(oldest).toBeLessThanOrEqual(60_000);
    expect(held.figures).toMatchObject({ transactions: 0, refused: 0 });
    const day = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
    expect(await readItem({ pk: "LIMIT#email", sk: day })).toMatchObject({ n: ages.size, registrations: ages.size });
  },
  usualOrFull(120_000, 900_000),
);

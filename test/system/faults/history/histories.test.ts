import { expect, test } from "vitest";
import { endSession, openSession, sessionKey } from "../../../../shared/db/accounts/sessions.ts";
import { keepHistory } from "../../../../shared/db/history/keep-history.ts";
import { recordKey } from "../../../../shared/db/table/item-keys.ts";
import type { StreamRecord } from "../../../../shared/db/table/stream-records.ts";
import { type Item, scanPage } from "../../../../shared/db/table/table.ts";
import { crashAt } from "../../../support/faults/crash.ts";
import { logChange, shardsOf } from "../../../support/records/change-log.ts";
import { readItem } from "../../../support/records/writes.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";
import { expectHistory, follow, type ModelRecord } from "./history-model.ts";
import { authorOf, type ChangeStep, change, death, type Kind, kinds, planOf } from "./history-steps.ts";

const runs = usualOrFull(12, 2_000, 60);
const read = fc.record({
  does: fc.constant("read" as const),
  /** Where in the log the reading begins, in tenths; a new mapping begins at 0. */
  from: fc.nat({ max: 9 }),
  changes: fc.integer({ min: 1, max: 12 }),
  shards: fc.integer({ min: 1, max: 3 }),
  batch: fc.integer({ min: 1, max: 6 }),
  isAwaited: fc.boolean(),
  ...death,
});
const step = fc.oneof({ weight: 4, arbitrary: change }, { weight: 1, arbitrary: read });

const unharmed = { crashAt: Number.POSITIVE_INFINITY, moment: "before" } as const;
const ofUser = { kind: "USER", ...unharmed } as const;
const saveUser = (value: number, company = 0): ChangeStep => ({
  does: "save",
  author: "import",
  value,
  company,
  ...ofUser,
});
/** Few random histories change a password or a passcode. */
const secrets: ChangeStep[] = [
  saveUser(0),
  { does: "act", value: 0, ...ofUser },
  { does: "act", value: 1, ...ofUser },
  saveUser(1),
  saveUser(1, 1),
];

type Reading = typeof read extends fc.Arbitrary<infer T> ? T : never;

/** Of other ids, so that the records are in several shards. */
const idOf = (kind: Kind, base: number) => base + kinds.indexOf(kind);

interface History {
  readonly base: number;
  readonly log: StreamRecord[];
  readonly records: ReadonlyMap<string, ModelRecord>;
  readonly underWay: Promise<readonly StreamRecord[]>[];
}

let nextBase = 0;
const kept: ModelRecord[] = [];

useService();

test(`D41: ${runs} random histories of imports, events, operations, removals, releases and killed writes, kept by consumers that are killed, repeated, side by side and begin from the start, are those of a model and lead to the records as they are`, async () => {
  const history = fc.array(step, { minLength: 4, maxLength: 16 });
  await fc.assert(fc.asyncProperty(history, runHistory), { numRuns: runs, examples: [[secrets]] });
  await expectIndexed(kept);
}, 3_600_000);

async function runHistory(steps: readonly (ChangeStep | Reading)[]): Promise<void> {
  nextBase += 10;
  const base = nextBase;
  const all = kinds.map((kind) => ({ kind, id: idOf(kind, base) }));
  const records = new Map(
    all.map((each) => [`${each.kind} ${each.id}`, { ...each, history: [], imported: undefined }]),
  );
  const history: History = { base, log: [], records, underWay: [] };
  for (const each of steps) {
    if (each.does === "read") {
      const reading = begin(each, history);
      history.underWay.push(reading);
      if (each.isAwaited) await reading;
    } else await makeChange(each, history);
  }
  await endInOrder(history);
  kept.push(...records.values());
  for (const record of records.values()) await expectHistory(record, await readItem(recordKey(record.kind, record.id)));
}

/** What killed consumers left comes again, and every change comes again from the start, to two consumers. */
async function endInOrder({ log, underWay }: History): Promise<void> {
  const lives = { shards: 1, batch: 100, crashAt: Number.POSITIVE_INFINITY, moment: "before" } as const;
  const again = underWay.map(async (reading) => readChanges(await reading, lives));
  await Promise.all([...again, readChanges(log, { ...lives, batch: 4 }), readChanges(log, { ...lives, shards: 2 })]);
}

function begin(each: Reading, { log }: History): Promise<readonly StreamRecord[]> {
  const from = Math.floor((log.length * each.from) / 10);
  return readChanges(log.slice(from, from + each.changes), each);
}

type Pace = Pick<Reading, "shards" | "batch" | "crashAt" | "moment">;

/** Reads changes as a mapping does; gives those that it was killed at and after. */
async function readChanges(changes: readonly StreamRecord[], { shards, batch, crashAt: n, moment }: Pace) {
  const left = shardsOf(changes, shards).map(async (shard) => {
    for (let at = 0; at < shard.length; at += batch) {
      if (await crashAt(n, moment, () => keepHistory(shard.slice(at, at + batch)))) return shard.slice(at);
    }
    return [];
  });
  return (await Promise.all(left)).flat();
}

/** Makes a change, killed once and then repeated as it was, and lets the model follow what that stored. */
async function makeChange(each: ChangeStep, history: History): Promise<void> {
  if (each.does === "end session") return endOneSession(each, idOf("USER", history.base), history);
  const id = idOf(each.kind, history.base);
  const key = recordKey(each.kind, id);
  const plan = planOf(each, id, await readItem(key));
  if (!plan) return;
  const attempt = async (run: () => Promise<unknown>) => {
    const code = await readItem(passcodeKey(id));
    const [made] = await logChange(key, run);
    if (!made) return;
    history.log.push(made);
    const { before, after } = made;
    const isNewCode = (await readItem(passcodeKey(id)))?.hash !== code?.hash;
    const secrets = [
      ...((before?.session_epoch ?? 0) === (after?.session_epoch ?? 0) ? [] : ["password"]),
      ...(isNewCode ? ["passcode"] : []),
    ];
    const record = requireRecord(history, each.kind, id);
    follow(record, { before, after, author: plan.author, secrets: each.kind === "USER" ? secrets : [] });
  };
  let wasKilled = false;
  await attempt(async () => {
    wasKilled = await crashAt(plan.isWhole ? Number.POSITIVE_INFINITY : each.crashAt, each.moment, plan.work);
  });
  if (wasKilled) await attempt(plan.work);
}

async function endOneSession(each: Extract<ChangeStep, { does: "end session" }>, id: number, history: History) {
  const author = authorOf("user");
  const family = `zz-${author.id}`;
  await openSession(id, family, "seed", 0, new Date());
  const end = () => endSession(id, family, author);
  const attempt = async (run: () => Promise<unknown>) => {
    const made = await logChange(sessionKey(id, family), run);
    history.log.push(...made);
    // A repetition writes another write id, and ends nothing.
    if (!made.some(({ before, after }) => before?.valid_to !== after?.valid_to)) return;
    const nothing = { company_id: undefined, before: undefined, after: undefined };
    const ended = { type: "session", id: family, did: "ended", change: author, ...nothing };
    requireRecord(history, "USER", id).history.push(ended);
  };
  let wasKilled = false;
  await attempt(async () => {
    wasKilled = await crashAt(each.crashAt, each.moment, end);
  });
  if (wasKilled) await attempt(end);
}

const passcodeKey = (id: number) => ({ pk: `PASSCODE#${id}`, sk: "PASSCODE" });

function requireRecord({ records }: History, kind: string, id: number): ModelRecord {
  const record = records.get(`${kind} ${id}`);
  if (!record) throw new Error("The model lacks a record");
  return record;
}

/** Each change but how an import began is in each of its indexes once, and nothing else is. */
async function expectIndexed(records: readonly ModelRecord[]): Promise<void> {
  const expected = records.flatMap(({ kind, id, history }) =>
    history
      .filter(({ did, change }) => !(did === "created" && change?.by.startsWith("import#")))
      .flatMap(({ change, company_id }) => [
        ...(change?.by.startsWith("user#") ? [`HISTORY#BY#${change.by} ${kind}#${id}`] : []),
        ...(change ? [`HISTORY#CHANGE#${change.id} ${kind}#${id}`] : []),
        ...(company_id === undefined ? [] : [`HISTORY#COMPANY#${company_id} ${kind}#${id}`]),
      ]),
  );
  const stored: string[] = [];
  for (const [IndexName, key] of Object.entries({
    "by-state": "all_key",
    "by-company": "company_key",
    "by-month": "month_key",
  })) {
    const start = {
      FilterExpression: `begins_with(${key}, :start)`,
      ExpressionAttributeValues: { ":start": "HISTORY#" },
    };
    let lastKey: Item | undefined;
    do {
      const page = await scanPage({ ...start, IndexName, ExclusiveStartKey: lastKey });
      stored.push(...page.items.map((item) => `${item[key]} ${String(item.pk).slice("HISTORY#".length)}`));
      lastKey = page.lastKey;
    } while (lastKey);
  }
  expect(stored.toSorted()).toEqual(expected.toSorted());
}

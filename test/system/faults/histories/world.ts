import { isDeepStrictEqual } from "node:util";
import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { expect, vi } from "vitest";
import { handler as notify } from "../../../../functions/workers/notify.ts";
import { sessions } from "../../../../shared/people/sessions.ts";
import type { Change } from "../../../../shared/run/change.ts";
import { settings } from "../../../../shared/run/settings.ts";
import { readImages, type StreamRecord } from "../../../../shared/table/entity.ts";
import type { Item, Key } from "../../../../shared/table/table.ts";
import { lastChangeOf, nameOf, recordKey, tableClient } from "../../../../shared/table/table.ts";
import type { TestAnswer } from "../../../support/requests/call.ts";
import { takeMessages } from "../../../support/workers/queues.ts";
import { nothingFailed, streamRecord } from "../../../support/workers/workers.ts";
import { type CrashMoment, crashAt } from "../crash.ts";
import { follow, type Kind, kinds } from "./expect-history.ts";
import {
  type Asking,
  Model,
  type ModelChange,
  type ModelEvent,
  type Outcome,
  type Undoable,
  type UserModel,
} from "./model.ts";

/** The AWS call at which a process ends, and the side of it. */
export type Death = { readonly at: number; readonly moment: CrashMoment } | undefined;

/** A request, which may be cut short. */
export interface Request {
  /** True if it has an Idempotency-Key of its own. */
  readonly isKeyed: boolean;
  readonly as: Asking;
  readonly send: () => Promise<TestAnswer>;
  readonly expected: () => Outcome;
  /** The change that it wrote before it was cut short. */
  committed?: ModelChange;
  /** Its answer, once there was one. */
  answer?: TestAnswer;
  /** The records in its answer. */
  readonly shows?: { readonly kind: Undoable; readonly ids: readonly number[] };
}

/** A message to the worker that notifies. */
type Message = Readonly<Record<string, unknown>> & { readonly eventId: string };

/** Stored items by the names of their keys. */
type Images = ReadonlyMap<string, Item>;

/** Records of each kind in a history. */
const slots = { TIMESHEET: 4, INVOICE: 3, JOB: 2, USER: 1 } as const;

let nextBase = 1_000;
let lastSequence = 0;

/** One history: its company and users, the table's stream, the queue of notifications, and the model. */
export class World {
  readonly log: StreamRecord[] = [];
  readonly requests: Request[] = [];
  readonly messages: Message[] = [];
  /** Readings by the history's consumers, which give the changes that they left. */
  readonly readings: Promise<readonly StreamRecord[]>[] = [];
  /** Of the records that were written since the lists were last looked at. */
  readonly changedKinds = new Set<string>();
  readonly events = new Map<string, ModelEvent>();
  readonly base: number;
  readonly people;
  readonly model: Model;
  /** Set once all is there that is there from the start, which is looked at with the first command. */
  isBegun = false;
  readonly #keys: Key[];
  #images: Images = new Map();
  #streamed = 0;

  constructor() {
    nextBase += 10;
    this.base = nextBase;
    const { base } = this;
    const operator = { id: base, role: "operator", company_id: base } as const;
    const colleague = { id: base + 1, role: "operator", company_id: base } as const;
    const admin = { id: base + 2, role: "admin", company_id: null } as const;
    const otherAdmin = { id: base + 4, role: "admin", company_id: null } as const;
    this.people = [operator, admin, colleague, otherAdmin] as const;
    // The admin drives as well, and is not notified of the admin's own changes.
    this.model = new Model([base + 3, admin.id]);
    const records = kinds.flatMap((kind) => this.idsOf(kind).map((id) => recordKey(kind, id)));
    this.#keys = [...records, passcodeKey(this.idOf("USER", 0))];
  }

  person(at: number) {
    return this.people[at] ?? this.people[0];
  }

  user(at: number): UserModel {
    return this.model.users[at] as UserModel;
  }

  /** Records of a kind whose ids put them into several shards; the ids of users are apart from those of people. */
  idOf(kind: Kind, slot: number): number {
    return this.base + (kind === "USER" ? 5 : slot % slots[kind]);
  }

  idsOf(kind: Kind): number[] {
    return Array.from({ length: slots[kind] }, (_, slot) => this.idOf(kind, slot));
  }

  /** Moves the clock: ids of notifications sort by the moment. */
  tick(): void {
    vi.setSystemTime(Date.now() + 10);
  }

  /** Carries out a write by somebody other than a request's user, killed once and then repeated, in the table and the model. */
  async write(
    author: Change | undefined,
    work: () => Promise<unknown>,
    keep?: (() => void) | undefined,
    death?: Death,
  ): Promise<void> {
    const wasKilled = await killAt(death, work);
    await this.#observe(author);
    if (wasKilled) {
      await work();
      await this.#observe(author);
    }
    keep?.();
    this.#expectRecords();
  }

  /** Watches an item as well. */
  async watch(key: Key): Promise<void> {
    this.#keys.push(key);
    this.#images = await this.#readAll();
  }

  /** Sends a request, which may be cut short, and holds its outcome against the model. */
  async ask(request: Request, death?: Death): Promise<void> {
    if (request.isKeyed) this.requests.push(request);
    let answer: TestAnswer | undefined;
    const wasKilled = await killAt(death, async () => {
      answer = await request.send();
    });
    const written = await this.#readAll();
    if (!wasKilled) this.#settle(request, answer, request.expected(), written);
    else if (!isDeepStrictEqual(this.#images, written)) {
      request.committed = this.#commit(request, request.expected(), written);
    }
    await this.#observe("user", written);
    this.#expectRecords();
    // Without a key the client asks once more.
    if (wasKilled && !request.isKeyed) await this.ask(request);
  }

  /** Sends a request again that was answered, or cut short. */
  async repeat(request: Request): Promise<void> {
    const { answer, committed } = request;
    const again = await request.send();
    const written = await this.#readAll();
    // One that was cut short after it found all as asked leaves no other trace.
    const isReplayed = again.headers["idempotency-replayed"] === "true";
    if (answer?.status === 200 || committed) expect(isReplayed).toBe(true);
    if (isReplayed) this.#expectReplay(request, again);
    else this.#settle(request, again, request.expected(), written);
    if (again.status === 200) request.answer = again;
    await this.#observe("user", written);
    this.#expectRecords();
  }

  /** The same change, and the records that are left as they are. */
  #expectReplay({ as, answer, committed, shows }: Request, again: TestAnswer): void {
    expect([again.status, again.headers["change-id"]]).toEqual([200, answer?.headers["change-id"] ?? committed?.id]);
    if (answer && !shows) expect(again.body).toEqual(answer.body);
    if (!shows) return;
    const left = this.model.seen(shows.kind, as, shows.ids);
    expect(again.headers.total).toBe(String(left.length));
    const { timesheets, jobs } = again.body;
    if (jobs) expect(jobs.map(({ id }: { id: number }) => id)).toEqual(left.map(({ id }) => id));
    else {
      const shown = timesheets.map(({ id, state }: { id: number; state: string }) => [id, state]);
      expect(shown).toEqual(left.map(({ id, state }) => [id, state]));
    }
  }

  #settle(request: Request, answer: TestAnswer | undefined, outcome: Outcome, written: Images): void {
    expect(answer?.status, JSON.stringify(answer?.body)).toBe(outcome.status);
    if (outcome.status === 409) {
      const { code, changedIds } = outcome;
      expect(answer?.body).toMatchObject({ code, ...(changedIds && { changed_ids: changedIds }) });
    }
    if (outcome.status !== 200 || !answer) return;
    request.answer = answer;
    if (outcome.change) this.#commit(request, outcome, written);
    expect(answer.headers["change-id"]).toBe(outcome.change?.id);
  }

  /** The change of a request was written: all of it has one id, its author and the change that it undoes. */
  #commit({ as }: Request, outcome: Outcome, written: Images): ModelChange {
    expect(outcome).toMatchObject({ status: 200, change: expect.anything() });
    const { change } = outcome as { change: ModelChange };
    const stamps = [...change.values.keys()].map((id) => written.get(nameOf(recordKey(change.kind, id)))?.change);
    const [first] = stamps as Change[];
    expect(stamps).toEqual(stamps.map(() => first));
    expect([first?.by, first?.undoes]).toEqual([`user#${as.id}`, change.undoes?.id]);
    change.id = first?.id ?? "";
    return change;
  }

  /** Takes what was written into the stream and the model's histories. */
  async #observe(author: Change | "user" | undefined, written?: Images): Promise<void> {
    const [was, is] = [this.#images, written ?? (await this.#readAll())];
    this.#images = is;
    for (const key of this.#keys) {
      const [before, after] = [was.get(nameOf(key)), is.get(nameOf(key))];
      if (key.sk === "PASSCODE" || isDeepStrictEqual(before, after)) continue;
      this.changedKinds.add(key.sk);
      lastSequence += 1;
      const eventId = crypto.randomUUID();
      const images = readImages(before, after);
      const at = { createdAt: Math.floor(Date.now() / 1_000), sequence: String(lastSequence) };
      this.log.push({ eventId, key, ...images, ...at });
      const by = author === "user" ? authorIn(after) : author;
      if (sessions.matches(key)) this.#endSession(key, images, by);
      else this.#follow(eventId, key, images, by, author === "user", [was, is]);
    }
  }

  #follow(
    eventId: string,
    key: Key,
    images: Pick<StreamRecord, "before" | "after">,
    author: Change | undefined,
    isRequest: boolean,
    [was, is]: readonly [Images, Images],
  ): void {
    const { before, after } = images;
    const [kind, id] = [key.sk as Kind, Number(key.pk.split("#")[1])];
    const code = nameOf(passcodeKey(id));
    const secrets = [
      ...((before?.session_epoch ?? 0) === (after?.session_epoch ?? 0) ? [] : ["password"]),
      ...(was.get(code)?.hash === is.get(code)?.hash ? [] : ["passcode"]),
    ];
    follow(this.model.historyOf(kind, id), { before, after, author, secrets: kind === "USER" ? secrets : [] });
    const record = this.model.records[kind].get(id);
    if (record && !isRequest) record.last = undefined;
    if (kind === "TIMESHEET" && record?.last) {
      this.events.set(eventId, { eventId, type: "Timesheet", record: id, change: record.last });
    }
  }

  /** A repetition writes another write id, and ends nothing. */
  #endSession(
    { pk, sk }: Key,
    { before, after }: Pick<StreamRecord, "before" | "after">,
    change: Change | undefined,
  ): void {
    if (!after || before?.valid_to === after.valid_to) return;
    const nothing = { company_id: undefined, before: undefined, after: undefined };
    const ended = { type: "session", id: sk.split("#")[1] ?? "", did: "ended", change, ...nothing };
    this.model.historyOf("USER", Number(pk.split("#")[1])).history.push(ended);
  }

  #expectRecords(): void {
    for (const kind of kinds) {
      const stored = this.idsOf(kind).map((id) => {
        const { before: item } = readImages(this.#images.get(nameOf(recordKey(kind, id))), undefined);
        return item && [id, shownState(kind, item)];
      });
      const wanted = this.idsOf(kind).map((id) => {
        const record = this.model.records[kind].get(id);
        return record && [id, kind === "USER" ? "" : record.state];
      });
      expect(stored, kind).toEqual(wanted);
    }
  }

  /** The stream's consumer that notifies reads the changes of timesheets that are new. */
  async stream(): Promise<void> {
    const Records = this.log
      .slice(this.#streamed)
      .filter(({ key }) => key.sk === "TIMESHEET")
      .map(({ key, before, after, eventId }) => streamRecord(key, { before, after }, eventId));
    this.#streamed = this.log.length;
    if (Records.length === 0) return;
    expect(await notify({ Records })).toEqual(nothingFailed);
    this.messages.push(...((await takeMessages("NOTIFICATION_QUEUE_URL")) as Message[]));
  }

  async #readAll(): Promise<Images> {
    const TableName = settings.tableName();
    const asked = { [TableName]: { Keys: this.#keys.map((key) => ({ ...key })), ConsistentRead: true } };
    const { Responses = {} } = await tableClient().send(new BatchGetCommand({ RequestItems: asked }));
    return new Map(Responses[TableName]?.map((item) => [nameOf(item), item] as const));
  }
}

/** Does work that ends at a call, or does not. True if it was killed. */
export async function killAt(death: Death, work: () => Promise<unknown>): Promise<boolean> {
  if (death) return crashAt(death.at, death.moment, work);
  await work();
  return false;
}

/** The state of a job whose window was set. */
export function timerState(timer: number, from: number): string {
  return `${timer} until ${timer === 0 ? null : new Date(from + timer * 1000).toISOString()}`;
}

function shownState(kind: Kind, { record, timer = 0, timer_expires_at = null }: Item): string {
  if (kind === "JOB") return `${timer} until ${timer_expires_at}`;
  return String((record as { readonly state?: string }).state ?? "");
}

function authorIn(item: Item | undefined): Change | undefined {
  const { creates: _, ...author } = lastChangeOf(item) ?? {};
  return author as Change;
}

function passcodeKey(userId: number): Key {
  return { pk: `PASSCODE#${userId}`, sk: "PASSCODE" };
}

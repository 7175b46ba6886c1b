import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { handler as deliver } from "../../../../functions/workers/deliver-notifications.ts";
import { handler as notify } from "../../../../functions/workers/notify.ts";
import { putIf } from "../../../../shared/db/table/conditional-writes.ts";
import { recordKey } from "../../../../shared/db/table/item-keys.ts";
import type { StreamRecord } from "../../../../shared/db/table/stream-records.ts";
import type { Item } from "../../../../shared/db/table/table.ts";
import { crashAt } from "../../../support/faults/crash.ts";
import { callerLine, jobLine, timesheetLine, userLine } from "../../../support/records/records.ts";
import { readItem, write } from "../../../support/records/writes.ts";
import type { TestAnswer } from "../../../support/requests/call.ts";
import { takeMessages } from "../../../support/workers/queues.ts";
import { nothingFailed, queueEvent, streamRecord } from "../../../support/workers/workers.ts";
import { type List, type ModelChange, type Outcome, RecordsModel, UserModel } from "./model.ts";
import type { Death } from "./steps.ts";

/** A request under a key of its own, which may have been cut short. */
interface Request {
  readonly send: () => Promise<TestAnswer>;
  readonly expected: () => Outcome;
  /** What it wrote before it was cut short. */
  committed?: ModelChange;
  /** Its answer, once there was one. */
  answer?: TestAnswer;
  /** The records in its answer. */
  readonly shows?: { readonly list: List; readonly ids: readonly number[] };
}

let nextBase = 1_000;

/** One history: its company, records and users, what the stream says, and what the model says. */
export class World {
  readonly model = new RecordsModel();
  readonly log: StreamRecord[] = [];
  readonly requests: Request[] = [];
  readonly base: number;
  readonly people;
  readonly drivers;
  #images = new Map<string, Item | undefined>();
  #streamed = 0;
  #messages: { eventId: string }[] = [];
  readonly #events = new Map<string, { readonly change: ModelChange; readonly record: number }>();

  constructor() {
    nextBase += 10;
    this.base = nextBase;
    const { base } = this;
    const operator = { id: base, role: "operator", company_id: base } as const;
    const colleague = { id: base + 1, role: "operator", company_id: base } as const;
    const admin = { id: base + 2, role: "admin", company_id: null } as const;
    this.people = [operator, admin, colleague] as const;
    // The admin drives as well, and is not notified of what the admin did.
    this.drivers = [new UserModel(base + 3), new UserModel(admin.id)] as const;
  }

  get driverIds(): readonly [number, number] {
    return [this.base + 3, this.base + 2];
  }

  /** Stores the users, timesheets and jobs of the history. */
  async begin(): Promise<void> {
    const { base, people } = this;
    const [operator, admin, colleague] = people;
    const [driver] = this.driverIds;
    await Promise.all([
      ...[operator, colleague].map((user) => write(callerLine(user))),
      write(callerLine(admin, { profile_id: base + 1 })),
      write(userLine(driver, { role: "driver", profile_id: base })),
      ...[0, 1, 2, 3].map((slot) => this.importTimesheet(slot, "pending")),
      ...[0, 1].map((slot) => write(jobLine(base + slot, base))),
    ]);
    for (const slot of [0, 1]) this.model.write("JOBS", base + slot, noTimer);
    await this.look();
  }

  /** Slots 0 and 1 are the driver's, 2 and 3 the admin's. */
  async importTimesheet(slot: number, state: string, title = "Night driver"): Promise<void> {
    const id = this.base + slot;
    const { driver } = timesheetLine(id, this.base);
    const profile_id = this.base + Math.floor(slot / 2);
    await write(timesheetLine(id, this.base, { state, job_title: title, driver: { ...driver, profile_id } }));
    this.model.write("TIMESHEETS", id, state);
  }

  async remove(slot: number): Promise<void> {
    await write({ type: "timesheet", id: this.base + slot, deleted: true });
    this.model.records.TIMESHEETS.delete(this.base + slot);
  }

  /** Raises the revision, and says nothing of who did. */
  async writeByHand(slot: number): Promise<void> {
    const id = this.base + slot;
    const item = await readItem(recordKey("TIMESHEET", id));
    const known = this.model.records.TIMESHEETS.get(id);
    if (!item || !known) return;
    const record = { ...(item.record as Item), job_title: `Driver ${Number(item.revision)}` };
    await putIf({ Item: { ...item, record, revision: Number(item.revision) + 1, change: undefined } });
    this.model.write("TIMESHEETS", id, known.value);
  }

  /** Sends a request, which may be cut short, and holds what became of it against the model. */
  async ask(request: Request, death: Death): Promise<void> {
    this.requests.push(request);
    const before = this.#images;
    let answer: TestAnswer | undefined;
    const send = async () => {
      answer = await request.send();
    };
    const wasKilled = await (death ? crashAt(death.at, death.moment, send) : send().then(() => false));
    const written = await this.#readAll();
    if (wasKilled) {
      const isCommitted = !isDeepStrictEqual(before, written);
      if (isCommitted) request.committed = this.#commit(request.expected(), written);
    } else this.#settle(request, answer, request.expected(), written);
    await this.look(written);
  }

  /** Sends a request again that was answered, or cut short. */
  async repeat(request: Request): Promise<void> {
    const { answer, committed } = request;
    const again = await request.send();
    const written = await this.#readAll();
    // One that was cut short after it found all as asked leaves no other trace.
    const isReplayed = again.headers["idempotency-replayed"] === "true";
    if (answer || committed) expect(isReplayed).toBe(true);
    if (isReplayed) this.#expectReplay(request, again);
    else this.#settle(request, again, request.expected(), written);
    if (again.status === 200) request.answer = again;
    await this.look(written);
  }

  /** The same change, and the records that are left as they are. */
  #expectReplay({ answer, committed, shows }: Request, again: TestAnswer): void {
    expect([again.status, again.headers["change-id"]]).toEqual([200, answer?.headers["change-id"] ?? committed?.id]);
    if (answer && !shows) expect(again.body).toEqual(answer.body);
    if (!shows) return;
    const left = shows.ids.flatMap((id) => {
      const record = this.model.records[shows.list].get(id);
      return record ? [[id, record.value] as const] : [];
    });
    expect(again.headers.total).toBe(String(left.length));
    const { timesheets, jobs } = again.body;
    if (jobs) expect(jobs.map(({ id }: { id: number }) => id)).toEqual(left.map(([id]) => id));
    else expect(timesheets.map(({ id, state }: { id: number; state: string }) => [id, state])).toEqual(left);
  }

  #settle(
    request: Request,
    answer: TestAnswer | undefined,
    outcome: Outcome,
    written: ReadonlyMap<string, Item | undefined>,
  ) {
    expect(answer?.status, JSON.stringify(answer?.body)).toBe(outcome.status);
    if (outcome.status === 409) {
      expect(answer?.body).toMatchObject({
        code: outcome.code,
        ...(outcome.changedIds && { changed_ids: outcome.changedIds }),
      });
    }
    if (outcome.status !== 200 || !answer) return;
    request.answer = answer;
    if (outcome.change) this.#commit(outcome, written);
    expect(answer.headers["change-id"]).toBe(outcome.change?.id);
  }

  /** The change of a request has been written; all of it carries one id. */
  #commit(outcome: Outcome, written: ReadonlyMap<string, Item | undefined>): ModelChange {
    expect(outcome).toMatchObject({ status: 200, change: expect.anything() });
    const { change } = outcome as { change: ModelChange };
    const ids = [...change.values.keys()].map((id) => {
      const { id: changeId } = (written.get(nameOf(change.list, id))?.change ?? {}) as { id?: string };
      return changeId;
    });
    expect(new Set(ids).size).toBe(1);
    change.id = String(ids[0]);
    return change;
  }

  /** Takes what was written into the stream, and holds the records against the model. */
  async look(written?: Map<string, Item | undefined>): Promise<void> {
    const images = written ?? (await this.#readAll());
    for (const [name, after] of images) {
      const before = this.#images.get(name);
      if (isDeepStrictEqual(before, after)) continue;
      const [list, id] = name.split("#") as [List, string];
      if (list !== "TIMESHEETS") continue;
      const eventId = crypto.randomUUID();
      this.log.push({ eventId, key: recordKey("TIMESHEET", Number(id)), before, after });
      const change = this.model.records.TIMESHEETS.get(Number(id))?.last;
      if (change) this.#events.set(eventId, { change, record: Number(id) });
    }
    this.#images = images;
    for (const list of ["TIMESHEETS", "JOBS"] as const) {
      for (const slot of list === "JOBS" ? [0, 1] : [0, 1, 2, 3]) {
        const id = this.base + slot;
        expect(shownValue(images.get(nameOf(list, id))), `${list} ${slot}`).toBe(
          this.model.records[list].get(id)?.value,
        );
      }
    }
  }

  /** The stream's consumer reads what is new. */
  async stream(): Promise<void> {
    const Records = this.log
      .slice(this.#streamed)
      .map(({ key, before, after, eventId }) => streamRecord(key, { before, after }, eventId));
    this.#streamed = this.log.length;
    if (Records.length === 0) return;
    expect(await notify({ Records })).toEqual(nothingFailed);
    this.#messages.push(...((await takeMessages("NOTIFICATION_QUEUE_URL")) as { eventId: string }[]));
  }

  get messages(): readonly { readonly eventId: string }[] {
    return this.#messages;
  }

  /** A message reaches its worker, which may be cut short and then gets it again. */
  async deliver(message: { readonly eventId: string }, death?: Death): Promise<void> {
    if (death) await crashAt(death.at, death.moment, () => deliver(queueEvent(message)));
    expect(await deliver(queueEvent(message))).toEqual(nothingFailed);
    const { change, record } = this.#events.get(message.eventId) ?? {};
    if (!change || record === undefined) throw new Error("A message is of no change of the model");
    const value = this.model.records.TIMESHEETS.get(record)?.value;
    this.drivers[record - this.base < 2 ? 0 : 1].arrive(change, record, value);
  }

  async #readAll(): Promise<Map<string, Item | undefined>> {
    const { base } = this;
    const places = [
      ...[0, 1, 2, 3].map((slot) => ["TIMESHEETS", "TIMESHEET", base + slot] as const),
      ...[0, 1].map((slot) => ["JOBS", "JOB", base + slot] as const),
    ];
    const items = await Promise.all(
      places.map(async ([list, kind, id]) => [nameOf(list, id), await readItem(recordKey(kind, id))] as const),
    );
    return new Map(items);
  }
}

/** The value of a job without a limit, whether it ever had one or not. */
const noTimer = "0 until null";

/** The value of a job whose window was set. */
export function timerValue(timer: number, from: number): string {
  return `${timer} until ${timer === 0 ? null : new Date(from + timer * 1000).toISOString()}`;
}

function nameOf(list: List, id: number): string {
  return `${list}#${id}`;
}

function shownValue(item: Item | undefined): string | undefined {
  if (!item) return undefined;
  if (item.sk === "TIMESHEET") return (item.record as { state: string }).state;
  const { timer = 0, timer_expires_at = null } = item;
  return `${timer} until ${timer_expires_at}`;
}

import { type HistoryOf, type Kind, noHistory } from "./expect-history.ts";

/** A kind whose changes can be undone. */
export type Undoable = "TIMESHEET" | "JOB";

/** A change of several records by a request. */
export interface ModelChange {
  readonly kind: Undoable;
  readonly by: number;
  /** The values before and after it by record, in the order of the request. */
  readonly values: ReadonlyMap<number, { readonly before: string; readonly after: string }>;
  readonly undoes?: ModelChange;
  undoneBy?: ModelChange;
  /** As the service named it. */
  id?: string;
}

/** A record as it is; the state of a job is its timer. */
export interface ModelRecord {
  readonly id: number;
  readonly companyId: number;
  readonly state: string;
  readonly date: string;
  readonly number?: string;
  /** The change that wrote it last; undefined if something else did. */
  last?: ModelChange | undefined;
}

/** The outcome of a request. */
export type Outcome =
  | { readonly status: 200; readonly change: ModelChange | undefined }
  | { readonly status: 404 }
  | { readonly status: 409; readonly code: string; readonly changedIds?: readonly number[] };

/** The user of a request. */
export interface Asking {
  readonly id: number;
  /** Null for an admin, who sees all companies. */
  readonly company_id: number | null;
}

/** The state of a job without a limit, whether it ever had one or not. */
const noTimer = "0 until null";

/** Records, their changes, histories and users' notifications, by nothing but the commands and their order. */
export class Model {
  readonly records: Readonly<Record<Kind, Map<number, ModelRecord>>> = {
    TIMESHEET: new Map(),
    INVOICE: new Map(),
    JOB: new Map(),
    USER: new Map(),
  };
  readonly changes: ModelChange[] = [];
  readonly histories = new Map<string, HistoryOf>();
  readonly users: readonly UserModel[];

  constructor(userIds: readonly number[]) {
    this.users = userIds.map((id) => new UserModel(id));
  }

  historyOf(kind: Kind, id: number): HistoryOf {
    const known = this.histories.get(`${kind} ${id}`) ?? noHistory(kind, id);
    this.histories.set(`${kind} ${id}`, known);
    return known;
  }

  /** An import or an event writes fields of a record. */
  save(kind: Kind, id: number, fields: Partial<ModelRecord>): void {
    const initial = { id, companyId: 0, state: kind === "JOB" ? noTimer : "", date: "" };
    this.records[kind].set(id, { ...initial, ...this.records[kind].get(id), ...fields });
  }

  /** The records of a request that its user sees. */
  seen(kind: Undoable, by: Asking, ids: readonly number[]): ModelRecord[] {
    return ids.flatMap((id) => {
      const record = this.records[kind].get(id);
      return record && (by.company_id === null || by.company_id === record.companyId) ? [record] : [];
    });
  }

  /** Sets records to a value. */
  set(kind: Undoable, by: Asking, ids: readonly number[], value: string): Outcome {
    const found = this.seen(kind, by, ids);
    if (found.length < ids.length) return { status: 404 };
    const changing = found.filter(({ state }) => state !== value);
    const values = new Map(changing.map(({ id, state }) => [id, { before: state, after: value }]));
    return { status: 200, change: values.size > 0 ? this.#make({ kind, by: by.id, values }) : undefined };
  }

  /** Restores the values before a change. */
  undo(undone: ModelChange, by: Asking): Outcome {
    const { kind, values, undoneBy } = undone;
    const isAdmin = by.company_id === null;
    if (!isAdmin && (undone.by !== by.id || kind === "JOB")) return { status: 404 };
    if (undoneBy) return { status: 409, code: "change_undone" };
    const changedIds = [...values.keys()].filter((id) => this.records[kind].get(id)?.last !== undone);
    if (changedIds.length > 0) return { status: 409, code: "changed_since", changedIds };
    const back = [...values].map(([id, { before, after }]) => [id, { before: after, after: before }] as const);
    const change = this.#make({ kind, by: by.id, values: new Map(back), undoes: undone });
    undone.undoneBy = change;
    return { status: 200, change };
  }

  #make(change: ModelChange): ModelChange {
    for (const [id, { after }] of change.values) this.save(change.kind, id, { state: after, last: change });
    this.changes.push(change);
    return change;
  }
}

/** An event of which users are notified. */
export interface ModelEvent {
  readonly eventId: string;
  readonly type: "Timesheet" | "Job" | "Chat";
  readonly record: number;
  /** The change that it reports; undefined of an event that another system sends. */
  readonly change: ModelChange | undefined;
}

/** A notification that a user has. */
export interface ModelNotification {
  readonly eventId: string | undefined;
  /** Its type, its record and what it reports. */
  readonly shown: string;
  readonly createdAt: string;
  read: boolean;
  /** As the service named it, once it was seen. */
  id?: number;
}

/** The notifications of a user. */
export class UserModel {
  readonly notifications: ModelNotification[] = [];
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }

  /** An event arrives, for the first time or again, while its record has a state or is gone. */
  arrive({ eventId, type, record, change }: ModelEvent, state: string | undefined): void {
    const reported = change?.values.get(record)?.after;
    if (change && (reported !== state || change.by === this.id)) return;
    if (this.notifications.some((each) => each.eventId === eventId)) return;
    const shown = `${type} ${record} ${reported ?? "sent"}`;
    this.notifications.push({ eventId, shown, createdAt: new Date().toISOString(), read: false });
  }
}

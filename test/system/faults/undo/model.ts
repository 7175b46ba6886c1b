/** The lists whose changes can be undone. */
export type List = "TIMESHEETS" | "JOBS";

/** A change of several records, by any of the ways there are. */
export interface ModelChange {
  readonly list: List;
  readonly by: number;
  /** What was changed, from what to what, in the order of the request. */
  readonly values: ReadonlyMap<number, { readonly before: string; readonly after: string }>;
  readonly undoes?: ModelChange;
  undoneBy?: ModelChange;
  /** As the service named it. */
  id?: string;
}

interface ModelRecord {
  value: string;
  /** The change that wrote it last; undefined where something else did. */
  last: ModelChange | undefined;
}

/** What a request ends in. */
export type Outcome =
  | { readonly status: 200; readonly change: ModelChange | undefined }
  | { readonly status: 404 }
  | { readonly status: 409; readonly code: string; readonly changedIds?: readonly number[] };

/** Who asks, and what for: users of one company, and an admin. */
export interface Asking {
  readonly id: number;
  readonly isAdmin: boolean;
}

/** Records and their changes, by nothing but what was asked for and in which order. */
export class RecordsModel {
  readonly records: Record<List, Map<number, ModelRecord>> = { TIMESHEETS: new Map(), JOBS: new Map() };
  readonly changes: ModelChange[] = [];

  /** What anything else writes. */
  write(list: List, id: number, value: string): void {
    this.records[list].set(id, { value, last: undefined });
  }

  /** Sets records to a value. */
  set(list: List, by: Asking, ids: readonly number[], value: string): Outcome {
    const found = ids.map((id) => [id, this.records[list].get(id)] as const);
    if (found.some(([, record]) => record === undefined)) return { status: 404 };
    const changing = found.flatMap(([id, record]) =>
      record && record.value !== value ? [[id, { before: record.value, after: value }] as const] : [],
    );
    return {
      status: 200,
      change: changing.length > 0 ? this.#make({ list, by: by.id, values: new Map(changing) }) : undefined,
    };
  }

  /** Puts back what a change has changed. */
  undo(undone: ModelChange, by: Asking): Outcome {
    const { list, values, undoneBy } = undone;
    const records = this.records[list];
    if (!by.isAdmin && (undone.by !== by.id || list === "JOBS")) return { status: 404 };
    if (undoneBy) return { status: 409, code: "change_undone" };
    const changedIds = [...values.keys()].filter((id) => records.get(id)?.last !== undone);
    if (changedIds.length > 0) return { status: 409, code: "changed_since", changedIds };
    const back = [...values].map(([id, { before, after }]) => [id, { before: after, after: before }] as const);
    const change = this.#make({ list, by: by.id, values: new Map(back), undoes: undone });
    undone.undoneBy = change;
    return { status: 200, change };
  }

  #make(change: ModelChange): ModelChange {
    for (const [id, { after }] of change.values) this.records[change.list].set(id, { value: after, last: change });
    this.changes.push(change);
    return change;
  }
}

/** A notification that a user has. */
export interface ModelNotification {
  readonly change: ModelChange;
  readonly record: number;
  read: boolean;
}

/** What a user has been notified of, by what arrived in which order. */
export class UserModel {
  readonly list: ModelNotification[] = [];
  readonly #id: number;

  constructor(id: number) {
    this.#id = id;
  }

  /** The news of a change of a record arrives, for the first time or again, while the record has a value or is gone. */
  arrive(change: ModelChange, record: number, value: string | undefined): void {
    const isKnown = this.list.some((each) => each.change === change && each.record === record);
    const isReported = change.values.get(record)?.after === value;
    if (isReported && !isKnown && change.by !== this.#id) this.list.push({ change, record, read: false });
  }
}

/**
 * A change: what a person, another system, a run or the service itself does to records, the unit of history and undo. Each record
 * that it writes carries it, and the stream hands it on.
 */
export interface Change {
  /** Id of the request that the change follows from; absent if no request began it. */
  readonly request?: string | undefined;
  /** The same for all records that one call, message or run changes: a UUID of version 7, which the service makes. */
  readonly id: string;
  /** Who made the change: `user#<id>`, `import#<run id>`, `event#<source>#<event id>`, `schedule#<name>`, `tool#<command>`; else `service#<operation>`. */
  readonly by: string;
  /** Name of the operation, worker or command. */
  readonly operation: string;
  /** When it was asked for; in a run that may take hours, when it was written. ISO 8601. */
  readonly at: string;
}

import type { notifyingRecordTypes } from "../../domain/records/notification-kinds.ts";

type RecordTypes = typeof notifyingRecordTypes;

/** The words of notifications in one language: of pushes, and of their list. They stand apart from mails and SMS, which no list needs. */
export interface NotificationWords {
  /** Writes a day, short but clear. */
  readonly day: (moment: Date) => string;
  /** The sentence of each kind, by the type of its record. */
  readonly kinds: {
    readonly [T in keyof RecordTypes]: {
      readonly title: string;
      readonly kinds: { readonly [K in keyof RecordTypes[T]["kinds"]]: string };
    };
  };
}

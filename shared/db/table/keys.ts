import type { Item, Key } from "./table.ts";

/** Records that live alone in their partition. */
export type RecordKind = "COMPANY" | "USER" | "TIMESHEET" | "INVOICE" | "JOB";

/** One text for each key. */
export function nameOf({ pk, sk }: Key | Item): string {
  return JSON.stringify([pk, sk]);
}

/** The name of a key as a log may hold it: a login in it is left out. */
export function publicNameOf({ pk, sk }: Key | Item): string {
  return [pk, sk].map((part) => String(part).replace(/^LOGIN#.*/s, "LOGIN#?")).join(" ");
}

/** The key of an item. */
export function keyOf({ pk, sk }: Item): Key {
  return { pk: String(pk), sk: String(sk) };
}

/** An id as text that sorts as the number does. */
export function padId(id: number): string {
  return String(id).padStart(16, "0");
}

/** Key of a company, user, timesheet, invoice or job. */
export function recordKey(kind: RecordKind, id: number): Key {
  return { pk: `${kind}#${id}`, sk: kind };
}

/** Key of a login, by its normal form. */
export function loginKey(login: string): Key {
  return { pk: `LOGIN#${login}`, sk: "LOGIN" };
}

/** Key of the live pin of a login. */
export function pinKey(login: string): Key {
  return { pk: `LOGIN#${login}`, sk: "PIN" };
}

/** Key of a reset token, by its hash. */
export function resetTokenKey(hash: string): Key {
  return { pk: `RESET#${hash}`, sk: "RESET" };
}

/** Key of the user of a driver, by profile id. */
export function profileKey(profileId: number): Key {
  return { pk: `PROFILE#${profileId}`, sk: "PROFILE" };
}

/** Key of a user's notification; ids are padded so that they sort as numbers. */
export function notificationKey(userId: number, id: number): Key {
  return { pk: `USER#${userId}`, sk: `NOTIFICATION#${padId(id)}` };
}

/** Key of a user's notification counts. */
export function countsKey(userId: number): Key {
  return { pk: `USER#${userId}`, sk: "COUNTS" };
}

/** Key of the set of a user's device tokens; its revision guards their number. */
export function deviceSetKey(userId: number): Key {
  return { pk: `USER#${userId}`, sk: "DEVICES" };
}

/** Key of a device token in its user's list. */
export function deviceKey(userId: number, id: number): Key {
  return { pk: `USER#${userId}`, sk: `DEVICE#${padId(id)}` };
}

/** Key that makes a device token unique, by its hash. */
export function deviceTokenKey(hash: string): Key {
  return { pk: `DEVICE#${hash}`, sk: "DEVICE" };
}

/** Key of a session family. */
export function sessionKey(userId: number, family: string): Key {
  return { pk: `USER#${userId}`, sk: `SESSION#${family}` };
}

/** Key of a subject's attempts under a throttle, by the subject's hash. */
export function throttleKey(rule: string, subjectHash: string): Key {
  return { pk: `THROTTLE#${rule}#${subjectHash}`, sk: "THROTTLE" };
}

/** Key of a public signing key. */
export function publicKeyKey(kid: string): Key {
  return { pk: "KEYS", sk: kid };
}

/** Key of the number of SMS that the stage has sent in an hour or a day, named by its start. */
export function smsCountKey(window: string): Key {
  return { pk: `SMS#${window}`, sk: "SMS" };
}

/** Key of an event that a user was told of. */
export function deliveredKey(userId: number, eventId: string): Key {
  return { pk: `USER#${userId}`, sk: `EVENT#${eventId}` };
}

/** Key of how far a notification has been pushed to its user's devices. */
export function pushKey(userId: number, notificationId: number): Key {
  return { pk: `USER#${userId}`, sk: `PUSH#${padId(notificationId)}` };
}

/** Key of the answer that an Idempotency-Key of a user's operation stands for. */
export function idempotencyKey(userId: number, operation: string, key: string): Key {
  return { pk: `IDEMPOTENCY#${userId}#${operation}#${key}`, sk: "IDEMPOTENCY" };
}

/** Attributes that place an item in the sparse index `by-mark`: what it is marked as, and its order there. */
export interface Mark {
  readonly mark_key: string;
  readonly mark_order: string;
}

/** Marks a notification as unread by its user. */
export function unreadMark(userId: number, id: number): Mark {
  return { mark_key: `USER#${userId}#UNREAD`, mark_order: padId(id) };
}

/** Marks a user as one of a company's users in a role. */
export function companyUserMark(companyId: number, role: string, id: number): Mark {
  return { mark_key: `COMPANY#${companyId}#USERS#${role}`, mark_order: padId(id) };
}

import type { Key } from "./table.ts";

/** Records that live alone in their partition. */
export type RecordKind = "COMPANY" | "USER" | "TIMESHEET" | "INVOICE" | "JOB";

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
  return { pk: `USER#${userId}`, sk: `NOTIFICATION#${String(id).padStart(16, "0")}` };
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
  return { pk: `USER#${userId}`, sk: `DEVICE#${String(id).padStart(16, "0")}` };
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

/** Key of a sequence that ids are taken from. */
export function sequenceKey(entity: string): Key {
  return { pk: `SEQUENCE#${entity}`, sk: "SEQUENCE" };
}

/** Key of a public signing key. */
export function publicKeyKey(kid: string): Key {
  return { pk: "KEYS", sk: kid };
}

/** Key of the number of SMS that the stage has sent in an hour or a day, named by its start. */
export function smsCountKey(window: string): Key {
  return { pk: `SMS#${window}`, sk: "SMS" };
}

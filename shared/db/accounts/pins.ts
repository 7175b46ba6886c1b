import type { PinHash } from "../../domain/accounts/pin.ts";
import { updateIf } from "../table/conditional-writes.ts";
import { allOf, anyOf, isAbsent, lacks } from "../table/conditions.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { setOrRemove, updateOf } from "../table/updates.ts";

/** The live pin of a login as the table has it. */
export interface StoredPin extends StoredItem, PinHash {
  readonly user_id: number;
  readonly request_id: string;
  readonly requested_at: string;
  readonly valid_to: string;
  readonly expires_at: number;
  readonly digits: number;
  /** Until when a worker may be sending its message, in ISO 8601. */
  readonly held_until: string;
  /** When its message was sent; absent while that may have failed. */
  readonly sent_at?: string;
  readonly spent_at?: string;
  /** The client that spent it, by its keyed hash. */
  readonly spent_by?: string;
  /** The company of the test logins, if it is their pin (D9). */
  readonly test_company_id?: number;
  /** True while its user comes into being with it; absent where a known user asked, and once it is spent (D16). */
  readonly registers?: true;
}

/** The entity of pins. */
export const pins = defineEntity<StoredPin>("pin", ({ pk, sk }) => sk === "PIN" && pk.startsWith("LOGIN#"));

/** The request that a pin answers: a newer one replaces an older one (D9, D12). */
export interface PinRequest {
  readonly login: string;
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly validTo: Date;
  readonly digits: number;
  /** True where the user comes into being with the pin (D16). */
  readonly registers: boolean;
  /** The company of the test logins, if it is their pin (D9). */
  readonly testCompanyId?: number | undefined;
}

/** How long the client that spent a pin or a reset token gets the same answer again (D13, D14). */
export const repeatMs = 60_000;

const keepDays = 30;
/** Longer than a worker may run, and shorter than its queue waits before it brings a message again. */
const heldSeconds = 60;

/** Conditions on the stored pin when the pin of a request is to be stored. */
const isOfOlderRequest = "requested_at < :requestedAt";
const isOfSameRequest = "request_id = :requestId";
const isUnspent = lacks("spent_at");
const isUnsent = lacks("sent_at");
const isHeldByNobody = "held_until < :now";

/** Key of the live pin of a login. */
export function pinKey(login: string): Key {
  return { pk: `LOGIN#${login}`, sk: "PIN" };
}

/**
 * Access pattern P1: stores the pin of a request over the pin of an older request, or over its own when that was neither sent
 * nor spent, and is not being sent by another worker; a pin without a registration discards one that waited. False when it
 * is not stored, as there is nothing to send (D12, D16). All is replaced, so that the pin is of this version, whatever the
 * one before was.
 */
export async function storePin(request: PinRequest, userId: number, hash: PinHash, now: Date): Promise<boolean> {
  const { requestId: request_id, validTo, digits, testCompanyId } = request;
  const requested_at = request.requestedAt.toISOString();
  const when = anyOf(isAbsent, isOfOlderRequest, allOf(isOfSameRequest, isUnspent, isUnsent, isHeldByNobody));
  const values = { ":requestedAt": requested_at, ":requestId": request_id, ":now": now.toISOString() };
  const held_until = new Date(now.getTime() + heldSeconds * 1000).toISOString();
  const life = { valid_to: validTo.toISOString(), expires_at: epochSecondsAfter(validTo, keepDays) };
  const of = {
    user_id: userId,
    hmac: hash.hmac,
    salt: hash.salt,
    digits,
    request_id,
    requested_at,
    held_until,
    ...life,
  };
  const mark = setOrRemove("test_company_id", testCompanyId);
  const registers = setOrRemove("registers", request.registers || undefined);
  const set = { ...of, ...mark.set, ...registers.set, schema_version: pins.version };
  const remove = [...mark.remove, ...registers.remove, "sent_at", "spent_at", "spent_by"];
  return (await updateIf(pinKey(request.login), { when, values, set, remove })) !== undefined;
}

/** Access pattern P6: true where the pin of a request was stored, as the request is processed again. One read unit. */
export async function isPinStored(login: string, requestId: string): Promise<boolean> {
  return (await pins.find(pinKey(login), { consistent: true }))?.request_id === requestId;
}

/** Access pattern P7: stores that the pin of a request was sent, unless it is another's by now. One write unit. */
export async function keepPinSent(login: string, requestId: string, now: Date): Promise<void> {
  await updateIf(pinKey(login), { where: { request_id: requestId }, set: { sent_at: now.toISOString() } });
}

/** The write that spends a pin, while it is the one that was compared. */
export function spend(login: string, { hmac }: PinHash, spent_by: string, now: Date): TransactionWrite {
  const set = { spent_at: now.toISOString(), spent_by };
  return { Update: updateOf(pinKey(login), { where: { hmac, spent_at: undefined }, set, remove: ["registers"] }) };
}

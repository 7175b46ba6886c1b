import { resetRepeatMs } from "../../functions/accounts/set-password.ts";
import { messageLimits, heldMs as pinHeldMs } from "../../functions/workers/deliver-pin.ts";
import {
  deliveredEventDays as deliveryDays,
  usersPerTransaction,
} from "../../functions/workers/notification-delivery.ts";
import { noticeDays, leaseSeconds as noticeLeaseSeconds } from "../../functions/workers/notify-password-changed.ts";
import {
  publishedAfterMinutes,
  publishedAheadMinutes,
  rotationDays,
} from "../../functions/workers/rotate-signing-key.ts";
import { scheduleMs, writeMs } from "../../infra/tools/export/changed-since.ts";
import { maxLineBytes } from "../../infra/tools/import/import-lines.ts";
import { knownAheadMs } from "../../infra/tools/keys.ts";
import { deployMilliseconds } from "../../infra/tools/rollback.ts";
import { defaultTimeoutMs, resetTokenProvesMs } from "../../shared/client/client.ts";
import { longPinDigits, pinDigits } from "../../shared/contract/accounts.ts";
import { maxRecipients } from "../../shared/contract/events.ts";
import { maxParamsBytes } from "../../shared/contract/notifications.ts";
import { defaultPerPage, maxPerPage } from "../../shared/contract/query.ts";
import { maxTimelogBytes } from "../../shared/contract/records.ts";
import { maxFaults } from "../../shared/contract/refusals.ts";
import { cacheSeconds as keySetCacheSeconds } from "../../shared/contract/service.ts";
import { longestPassword, mostBulkIds } from "../../shared/contract/values.ts";
import { maxBodyBytes, maxQueryBytes } from "../../shared/http/endpoint.ts";
import { mostEvents } from "../../shared/messages/event-queue.ts";
import { maxUsersPerMessage } from "../../shared/messages/notification-queue.ts";
import { maxBatchMessages } from "../../shared/messages/queue.ts";
import { maxDevicesPerUser } from "../../shared/notifications/devices.ts";
import { pinRepeatMs } from "../../shared/people/confirm.ts";
import { limitCountDays as windowDays } from "../../shared/people/limits.ts";
import { ceilingDays as ceilingKeptDays, firstMessages, messageShares } from "../../shared/people/message-limits.ts";
import { unusableHash } from "../../shared/people/passwords.ts";
import { pinItemDays as pinKeptDays, pinRules } from "../../shared/people/pins.ts";
import { resetTokenLifeMinutes, resetTokenProvesMinutes } from "../../shared/people/reset.ts";
import { refreshTokenLifeDays, provesDays as sessionProvesDays } from "../../shared/people/sessions.ts";
import { chunkSize as removedAtOnce } from "../../shared/people/write-user.ts";
import { changeItems } from "../../shared/records/bulk.ts";
import { changeItemDays as changeDays, validMs as changeValidMs } from "../../shared/records/changes.ts";
import { callLimits as limitsOfCalls } from "../../shared/run/call-limits.ts";
import { maxPageDepth, mostDays as mostDaysOfList } from "../../shared/run/paging.ts";
import { maxBatchReads } from "../../shared/table/reads.ts";
import { tombstoneDays, tombstoneItemDays as tombstoneKeptDays } from "../../shared/table/record-plans.ts";
import { paces as pacesOfRetries } from "../../shared/table/retry.ts";
import { maxTransactionWrites, mostTransactionBytes } from "../../shared/table/writes.ts";
import { accessTokenLifeMinutes } from "../../shared/tokens/access.ts";
import { keySetCacheMinutes as keyCacheMinutes } from "../../shared/tokens/keys.ts";
import { secretCacheMinutes } from "../../shared/tokens/secrets.ts";
import { rules } from "../support/requests/limits.ts";

/** The times for which tokens, counts and items count, and for which they are kept. A name ends in its unit. */
export const lives = {
  accessTokenLifeMinutes,
  ceilingKeptDays,
  changeDays,
  changeValidMs,
  deliveryDays,
  keyCacheMinutes,
  keySetCacheSeconds,
  noticeDays,
  noticeLeaseSeconds,
  pinHeldMs,
  pinKeptDays,
  pinLifeMinutes: pinRules.lifeMinutes,
  pinRepeatMs,
  publishedAfterMinutes,
  publishedAheadMinutes,
  refreshTokenLifeDays,
  resetRepeatMs,
  resetTokenLifeMinutes,
  resetTokenProvesMinutes,
  rotationDays,
  secretCacheMinutes,
  sessionProvesDays,
  tombstoneDays,
  tombstoneKeptDays,
  windowDaysOfDay: windowDays.day,
  windowDaysOfHour: windowDays.hour,
  windowDaysOfNone: windowDays.none,
};

/** The times that the client and the tools wait, or take for granted of the service. */
export const waits = { defaultTimeoutMs, deployMilliseconds, knownAheadMs, resetTokenProvesMs, scheduleMs, writeMs };

/** The most of a request, of a transaction and of a message. */
export const limits = {
  changeItems,
  defaultPerPage,
  longPinDigits,
  maxBatchMessages,
  maxBatchReads,
  maxBodyBytes,
  maxDevicesPerUser,
  maxFaults,
  maxLineBytes,
  maxPageDepth,
  maxParamsBytes,
  maxPerPage,
  maxQueryBytes,
  maxRecipients,
  maxTimelogBytes,
  maxTransactionWrites,
  maxUsersPerMessage,
  mostBulkIds,
  mostDaysOfList,
  mostEvents,
  mostTransactionBytes,
  pinDigits,
  removedAtOnce,
  usersPerTransaction,
};

/** The limits of guessing and sending (D9 to D11, D15, D19). */
export const guessing = { ...rules, pinRules, messageLimits, messageShares, firstMessages };

/** The cost of a new hash, and the most characters of what is hashed. */
export const passwords = { cost: unusableHash.split("$")[3], longestPassword };

/** The time and the attempts of each call to AWS. */
export const callLimits = limitsOfCalls;

/** The tries of each retry in the table, and the pauses between. */
export const paces = pacesOfRetries;

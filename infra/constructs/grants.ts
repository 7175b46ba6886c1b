import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { FunctionRow } from "../functions/function-row.ts";
import type { QueueName } from "../functions/queues.ts";
import { namesOf, tokenAudience } from "../stages/names.ts";
import { readStageSetting } from "../stages/stage-settings.ts";
import type { Stage } from "../stages/stages.ts";
import { grantTokenVerification } from "./api/token-verification.ts";
import type { StreamQuarantine } from "./compute/stream-quarantine.ts";
import type { WorkQueue } from "./compute/work-queue.ts";
import type { EmailSending } from "./messages/email-sending.ts";
import { grantPushing } from "./messages/pushing.ts";
import { grantSms } from "./messages/sms.ts";
import type { HmacKey } from "./stores/hmac-key.ts";
import type { RecordsTable } from "./stores/records-table.ts";
import type { SigningKeys } from "./stores/signing-keys.ts";

/** What functions are given rights to. */
export interface Resources {
  readonly records: RecordsTable;
  readonly hmacKey: HmacKey;
  readonly signingKeys: SigningKeys;
  readonly queues: Readonly<Record<QueueName, WorkQueue>>;
  readonly quarantine: StreamQuarantine;
  readonly emails: EmailSending;
}

/** Gives a function the rights and settings that its row names, and no others. */
export function grantRow(fn: LambdaFunction, row: FunctionRow, resources: Resources, stage: Stage): void {
  const { records, hmacKey, signingKeys, queues, quarantine, emails } = resources;
  const tokenNames = { issuer: namesOf(stage.name).tokenIssuer, audience: tokenAudience };
  if (row.table || row.indexes) records.grant(fn, row.table ?? [], row.indexes ?? []);
  if (row.verifiesTokens || row.readsPublicKeys) records.grantPublicKeys(fn);
  if (row.verifiesTokens) grantTokenVerification(fn, tokenNames, stage);
  if (row.signsTokens) signingKeys.grantSign(fn, tokenNames);
  if (row.rotatesSigningKeys) signingKeys.grantRotate(fn);
  if (row.readsHmacKey) hmacKey.grantRead(fn);
  if (row.queuesPins) queues.pins.grantQueue(fn);
  if (row.queuesNotices) queues.notices.grantQueue(fn);
  if (row.queuesNotifications) queues.notifications.grantQueue(fn);
  if (row.queuesPushes) queues.pushes.grantQueue(fn);
  if (row.pushesToDevices) grantPushing(fn, stage);
  if (row.readsStream) quarantine.grantQuarantine(fn);
  if (row.sendsMessages) {
    emails.grantSend(fn);
    grantSms(fn);
  }
  for (const setting of row.settings ?? []) fn.addEnvironment(setting, readStageSetting(stage, setting));
}

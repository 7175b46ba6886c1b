import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { EmailSending } from "./constructs/email-sending.ts";
import type { HmacKey } from "./constructs/hmac-key.ts";
import { grantPushing } from "./constructs/pushing.ts";
import type { RecordsTable } from "./constructs/records-table.ts";
import type { SetAside } from "./constructs/set-aside.ts";
import type { SigningKeys } from "./constructs/signing-keys.ts";
import { grantTexting } from "./constructs/texting.ts";
import { grantTokenVerification } from "./constructs/token-verification.ts";
import type { WorkQueue } from "./constructs/work-queue.ts";
import type { FunctionRow } from "./functions.ts";
import { namesOf, tokenAudience } from "./names.ts";
import type { QueueName } from "./queues.ts";
import { readStageSetting } from "./stage-settings.ts";
import type { Stage } from "./stages.ts";

/** What functions are given rights to. */
export interface Resources {
  readonly records: RecordsTable;
  readonly hmacKey: HmacKey;
  readonly signingKeys: SigningKeys;
  readonly queues: Readonly<Record<QueueName, WorkQueue>>;
  readonly setAside: SetAside;
  readonly emails: EmailSending;
}

/** Gives a function the rights and settings that its row names, and no others. */
export function grantRow(fn: LambdaFunction, row: FunctionRow, resources: Resources, stage: Stage): void {
  const { records, hmacKey, signingKeys, queues, setAside, emails } = resources;
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
  if (row.readsStream) setAside.grantSetAside(fn);
  if (row.sendsMessages) {
    emails.grantSend(fn);
    grantTexting(fn);
  }
  for (const setting of row.settings ?? []) fn.addEnvironment(setting, readStageSetting(stage, setting));
}

import { type App, CfnOutput, Stack, Tags } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Operation } from "../shared/contract/operation.ts";
import { operations } from "../shared/contract/operations.ts";
import { CanaryReleases } from "./constructs/canary-releases.ts";
import { DailySchedule } from "./constructs/daily-schedule.ts";
import { EmailSending } from "./constructs/email-sending.ts";
import { HmacKey } from "./constructs/hmac-key.ts";
import { Api } from "./constructs/http-api.ts";
import { IntakeBus } from "./constructs/intake-bus.ts";
import { Monitoring } from "./constructs/monitoring.ts";
import { grantPushing } from "./constructs/pushing.ts";
import { RecordsTable } from "./constructs/records-table.ts";
import { ServiceFunction } from "./constructs/service-function.ts";
import { SetAside } from "./constructs/set-aside.ts";
import { SigningKeys } from "./constructs/signing-keys.ts";
import { SmsSpendLimit } from "./constructs/sms-spend-limit.ts";
import { StreamConsumer } from "./constructs/stream-consumer.ts";
import { TableBackups } from "./constructs/table-backups.ts";
import { grantTexting } from "./constructs/texting.ts";
import { grantTokenVerification } from "./constructs/token-verification.ts";
import { WorkQueue } from "./constructs/work-queue.ts";
import { type FunctionName, functions } from "./functions.ts";
import { namesOf, tokenAudience } from "./names.ts";
import { readStageSetting } from "./stage-settings.ts";
import type { Stage } from "./stages.ts";
import { streamConsumers } from "./stream-filters.ts";

const usualRetentionHours = 4 * 24;
// A pin is worth nothing after ten minutes.
const pinRetentionHours = 1;
// Nobody is to be woken by the news of yesterday.
const pushRetentionHours = 24;
// A little after midnight, when the new day has begun on every clock.
const overdueTime = { hour: 0, minute: 5 };
// When few people are at work, and those who mend what it finds soon are.
const totalsTime = { hour: 4, minute: 0 };

/** What a stack is made from. */
export interface WorkforceStackProps {
  readonly stage: Stage;
  /** Folder that the bundles were built into. */
  readonly bundles: string;
}

/** The whole service of one stage. */
export class WorkforceStack extends Stack {
  constructor(app: App, { stage, bundles }: WorkforceStackProps) {
    const names = namesOf(stage.name);
    super(app, names.stack, {
      description: `Workforce API, stage ${stage.name}`,
      ...(stage.region !== undefined && { env: { region: stage.region } }),
    });
    Tags.of(this).add("service", "workforce-api");
    Tags.of(this).add("stage", stage.name);
    const records = new RecordsTable(this, "Records", { ...stage, name: names.table });
    const hmacKey = new HmacKey(this, "HmacKey", { ...stage, name: names.hmacSecret });
    const signingKeys = new SigningKeys(this, "SigningKeys", { ...stage, name: names.signingSecret });
    const queues = this.#queues();
    const { pins, notices, notifications, pushes, intake } = queues;
    const setAside = new SetAside(this, "SetAside");
    const bus = new IntakeBus(this, "IntakeBus", names.eventBus);
    const emails = new EmailSending(this, "Emails", stage);
    if (stage.smsMonthlySpendLimitDollars !== undefined) {
      new SmsSpendLimit(this, "SmsSpendLimit", stage.smsMonthlySpendLimitDollars);
    }
    if (stage.backupKeptDays !== undefined) {
      new TableBackups(this, "Backups", { ...stage, table: records.table, keptDays: stage.backupKeptDays });
    }
    const api = new Api(this, "Api", stage);
    const tokenNames = { issuer: names.tokenIssuer, audience: tokenAudience };

    const releases = stage.deployment === "canary" ? new CanaryReleases(this, "Releases", api.httpApi) : undefined;

    const all = new Map<FunctionName, LambdaFunction>();
    const addFunction = (name: FunctionName): ServiceFunction => {
      const service = new ServiceFunction(this, name, { name, stage, bundles, releases });
      const { function: fn } = service;
      all.set(name, fn);
      const row = functions[name];
      if (row.table || row.indexes) records.grant(fn, row.table ?? [], row.indexes ?? []);
      if (row.verifiesTokens || row.readsPublicKeys) records.grantPublicKeys(fn);
      if (row.verifiesTokens) grantTokenVerification(fn, tokenNames, stage);
      if (row.signsTokens) signingKeys.grantSign(fn, tokenNames);
      if (row.rotatesSigningKeys) signingKeys.grantRotate(fn);
      if (row.readsHmacKey) hmacKey.grantRead(fn);
      if (row.queuesPins) pins.grantQueue(fn);
      if (row.queuesNotices) notices.grantQueue(fn);
      if (row.queuesNotifications) notifications.grantQueue(fn);
      if (row.queuesPushes) pushes.grantQueue(fn);
      if (row.pushesToDevices) grantPushing(fn, stage);
      if (row.readsStream) setAside.grantSetAside(fn);
      if (row.sendsMessages) {
        emails.grantSend(fn);
        grantTexting(fn);
      }
      for (const setting of row.settings ?? []) fn.addEnvironment(setting, readStageSetting(stage, setting));
      return service;
    };

    for (const operation of operations) {
      const { name, method, path } = operation;
      const throttle = isAnonymousAccountRoute(operation) ? stage.anonymousThrottle : undefined;
      api.route(name, method, path, addFunction(name as FunctionName).live, throttle);
    }
    api.routeRest("refuse-unrouted", addFunction("refuse-unrouted").live);
    pins.feed(addFunction("deliver-pin").live);
    notices.feed(addFunction("tell-password-changed").live);
    signingKeys.rotateBy(addFunction("rotate-signing-key"), [records]);
    notifications.feed(addFunction("deliver-notifications").live);
    pushes.feed(addFunction("send-pushes").live);
    intake.feed(addFunction("intake").live);
    bus.leadTo(intake.queue);
    for (const name of streamConsumers) {
      const place = { streamArn: records.streamArn, setAside: setAside.queue };
      new StreamConsumer(this, `${name}-stream`, { name, fn: addFunction(name).live, ...place });
    }
    const timeZone = stage.businessTimeZone;
    new DailySchedule(this, "Overdue", { ...overdueTime, timeZone, fn: addFunction("mark-overdue").live });
    new DailySchedule(this, "TotalsCheck", { ...totalsTime, timeZone, fn: addFunction("check-totals").live });
    const places = { undelivered: bus.undelivered, setAside: setAside.queue, queues };
    const watched = { ...places, functions: all, tableName: names.table, apiId: api.httpApi.apiId };
    new Monitoring(this, "Monitoring", { stage, watched });
    new CfnOutput(this, "BaseUrl", { value: api.httpApi.apiEndpoint });
    new CfnOutput(this, "EventBusName", { value: bus.bus.eventBusName });
  }

  #queues() {
    const retentionHours = usualRetentionHours;
    return {
      pins: new WorkQueue(this, "Pins", {
        worker: "deliver-pin",
        setting: "PIN_QUEUE_URL",
        retentionHours: pinRetentionHours,
      }),
      notices: new WorkQueue(this, "Notices", {
        worker: "tell-password-changed",
        setting: "NOTICE_QUEUE_URL",
        retentionHours,
      }),
      notifications: new WorkQueue(this, "Notifications", {
        worker: "deliver-notifications",
        setting: "NOTIFICATION_QUEUE_URL",
        retentionHours,
      }),
      pushes: new WorkQueue(this, "Pushes", {
        worker: "send-pushes",
        setting: "PUSH_QUEUE_URL",
        retentionHours: pushRetentionHours,
      }),
      intake: new WorkQueue(this, "Intake", { worker: "intake", retentionHours }),
    };
  }
}

function isAnonymousAccountRoute({ name, access }: Operation): boolean {
  return access === "anyone" && functions[name as FunctionName].room === "users";
}

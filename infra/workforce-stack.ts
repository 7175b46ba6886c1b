import { type App, CfnOutput, Stack, Tags } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Operation } from "../shared/contract/operation.ts";
import { operations } from "../shared/contract/operations.ts";
import { Api } from "./constructs/api/http-api.ts";
import { CanaryReleases } from "./constructs/compute/canary-releases.ts";
import { DailySchedule } from "./constructs/compute/daily-schedule.ts";
import { IntakeBus } from "./constructs/compute/intake-bus.ts";
import { ServiceFunction } from "./constructs/compute/service-function.ts";
import { StreamConsumer } from "./constructs/compute/stream-consumer.ts";
import { StreamQuarantine } from "./constructs/compute/stream-quarantine.ts";
import { WorkQueue } from "./constructs/compute/work-queue.ts";
import { grantRow, type Resources } from "./constructs/grants.ts";
import { EmailSending } from "./constructs/messages/email-sending.ts";
import { SmsSpendLimit } from "./constructs/messages/sms-spend-limit.ts";
import { Monitoring } from "./constructs/monitoring/monitoring.ts";
import { HmacKey } from "./constructs/stores/hmac-key.ts";
import { RecordsTable } from "./constructs/stores/records-table.ts";
import { SigningKeys } from "./constructs/stores/signing-keys.ts";
import { TableBackups } from "./constructs/stores/table-backups.ts";
import { type FunctionName, functions } from "./functions/functions.ts";
import { type QueueName, queues } from "./functions/queues.ts";
import { streamConsumers } from "./functions/stream-filters.ts";
import { namesOf } from "./stages/names.ts";
import type { Stage } from "./stages/stages.ts";

// A little after midnight, when the new day has begun on every clock.
const overdueTime = { hour: 0, minute: 5 };
// When few people are at work, and those who repair what it finds soon are.
const totalsTime = { hour: 4, minute: 0 };

/** What a stack is made from. */
export interface WorkforceStackProps {
  readonly stage: Stage;
  /** Folder that the bundles were built into. */
  readonly bundles: string;
}

/** The whole service of one stage. */
export class WorkforceStack extends Stack {
  readonly #props: WorkforceStackProps;
  readonly #resources: Resources;
  readonly #api: Api;
  readonly #releases: CanaryReleases | undefined;
  readonly #functions = new Map<FunctionName, LambdaFunction>();

  constructor(app: App, props: WorkforceStackProps) {
    const { stage } = props;
    const names = namesOf(stage.name);
    super(app, names.stack, {
      description: `Workforce API, stage ${stage.name}`,
      ...(stage.region !== undefined && { env: { region: stage.region } }),
    });
    Tags.of(this).add("service", "workforce-api");
    Tags.of(this).add("stage", stage.name);
    this.#props = props;
    this.#resources = this.#addResources();
    this.#api = new Api(this, "Api", stage);
    this.#releases =
      stage.deployment === "canary" ? new CanaryReleases(this, "Releases", this.#api.httpApi) : undefined;
    this.#addRoutes();
    this.#addWorkers();
    this.#addSchedules();
    const bus = this.#addIntake();
    const { quarantine, queues } = this.#resources;
    const places = { undelivered: bus.undelivered, quarantine: quarantine.queue, queues };
    const watched = { ...places, functions: this.#functions, tableName: names.table, apiId: this.#api.httpApi.apiId };
    new Monitoring(this, "Monitoring", { stage, watched });
    new CfnOutput(this, "BaseUrl", { value: this.#api.httpApi.apiEndpoint });
    new CfnOutput(this, "EventBusName", { value: bus.bus.eventBusName });
  }

  #addResources(): Resources {
    const { stage } = this.#props;
    const names = namesOf(stage.name);
    const records = new RecordsTable(this, "Records", { ...stage, name: names.table });
    if (stage.backupKeptDays !== undefined) {
      new TableBackups(this, "Backups", { ...stage, table: records.table, keptDays: stage.backupKeptDays });
    }
    if (stage.smsMonthlySpendLimitDollars !== undefined) {
      new SmsSpendLimit(this, "SmsSpendLimit", stage.smsMonthlySpendLimitDollars);
    }
    return {
      records,
      hmacKey: new HmacKey(this, "HmacKey", { ...stage, name: names.hmacSecret }),
      signingKeys: new SigningKeys(this, "SigningKeys", { ...stage, name: names.signingSecret }),
      queues: this.#addQueues(),
      quarantine: new StreamQuarantine(this, "StreamQuarantine"),
      emails: new EmailSending(this, "Emails", stage),
    };
  }

  #addQueues() {
    const made = Object.entries(queues).map(
      ([name, row]) => [name, new WorkQueue(this, name[0]?.toUpperCase() + name.slice(1), row)] as const,
    );
    return Object.fromEntries(made) as Record<QueueName, WorkQueue>;
  }

  #addFunction(name: FunctionName): ServiceFunction {
    const { stage, bundles } = this.#props;
    const service = new ServiceFunction(this, name, { name, stage, bundles, releases: this.#releases });
    this.#functions.set(name, service.function);
    grantRow(service.function, functions[name], this.#resources, stage);
    return service;
  }

  #addRoutes(): void {
    const { anonymousThrottle } = this.#props.stage;
    for (const operation of operations) {
      const { name, method, path } = operation;
      const throttle = isAnonymousAccountRoute(operation) ? anonymousThrottle : undefined;
      this.#api.route(name, method, path, this.#addFunction(name as FunctionName).live, throttle);
    }
    this.#api.defaultRoute("refuse-unrouted", this.#addFunction("refuse-unrouted").live);
  }

  #addWorkers(): void {
    const { records, quarantine, queues } = this.#resources;
    for (const queue of Object.values(queues)) queue.addConsumer(this.#addFunction(queue.worker).live);
    const place = { streamArn: records.streamArn, quarantine: quarantine.queue };
    for (const name of streamConsumers) {
      new StreamConsumer(this, `${name}-stream`, { name, fn: this.#addFunction(name).live, ...place });
    }
  }

  #addSchedules(): void {
    const { records, signingKeys } = this.#resources;
    const timeZone = this.#props.stage.businessTimeZone;
    signingKeys.scheduleRotation(this.#addFunction("rotate-signing-key"), [records]);
    new DailySchedule(this, "Overdue", { ...overdueTime, timeZone, fn: this.#addFunction("mark-overdue").live });
    new DailySchedule(this, "TotalsCheck", { ...totalsTime, timeZone, fn: this.#addFunction("reconcile-totals").live });
  }

  #addIntake(): IntakeBus {
    const bus = new IntakeBus(this, "IntakeBus", namesOf(this.#props.stage.name).eventBus);
    bus.addTarget(this.#resources.queues.intake.queue);
    return bus;
  }
}

function isAnonymousAccountRoute({ name, access }: Operation): boolean {
  return access === "anyone" && ["accounts", "sessions"].includes(functions[name as FunctionName].area);
}

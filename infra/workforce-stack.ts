import { type App, AspectPriority, Aspects, CfnOutput } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import { Construct } from "constructs";
import { journeysPath, overviewPath, pagePath } from "../functions/service/docs-page.ts";
import type { Operation } from "../shared/contract/operation.ts";
import { refreshToken } from "../shared/contract/sessions.ts";
import { Api } from "./constructs/api/http-api.ts";
import { addIntakeBus, addOutboundBus, denyOthers } from "./constructs/compute/buses.ts";
import { addDailySchedule, addStreamConsumer } from "./constructs/compute/callers.ts";
import { CanaryReleases } from "./constructs/compute/canary-releases.ts";
import { createFirstKey } from "./constructs/compute/first-key.ts";
import { Freeze } from "./constructs/compute/freeze.ts";
import { ServiceFunction } from "./constructs/compute/service-function.ts";
import { addQueues, createQueue, findQueue, requireTls } from "./constructs/compute/work-queue.ts";
import { type GrantedResources, grantRow } from "./constructs/grants.ts";
import { EmailSending } from "./constructs/messages/email-sending.ts";
import { Monitoring } from "./constructs/monitoring/monitoring.ts";
import { OnCall, RepairRole } from "./constructs/monitoring/roles.ts";
import {
  edgeSecret,
  GeneratedSecret,
  hmacKeySecret,
  type SecretContent,
  signingKeys,
} from "./constructs/stores/generated-secret.ts";
import { RecordsTable } from "./constructs/stores/records-table.ts";
import { TableBackups } from "./constructs/stores/table-backups.ts";
import { hashesIn } from "./functions/bundle-places.ts";
import { hasOutboundEvents, queues } from "./functions/queues.ts";
import { type ReleaseManifest, writeManifest } from "./functions/release.ts";
import { requireCallers, rowOf, type ServiceTable, service } from "./functions/service-table.ts";
import { type StreamConsumerName, streamConsumers } from "./functions/stream-filters.ts";
import { pageFunction } from "./functions/worker-rows.ts";
import { StageStack } from "./stage-stack.ts";
import { namesOf, tableIdOf } from "./stages/names.ts";
import type { Stage } from "./stages/stage-shape.ts";
import { edgeOf, hasDocs, isWatched } from "./stages/stage-shape.ts";

// The page, its files, the bare address that browsers open, and the documents that programs look for.
const pageRoutes = {
  Start: "/",
  Page: pagePath,
  Files: `${pagePath}/{file}`,
  Overview: overviewPath,
  Journeys: journeysPath,
};

export interface WorkforceStackProps {
  readonly stage: Stage;
  readonly bundles: string;
  /** Id of the commit that they were built from. */
  readonly commit?: string;
  /** The operations and functions; by default those of the service. */
  readonly service?: ServiceTable;
}

/** The whole service of one stage, in one template. */
export class WorkforceStack extends StageStack {
  readonly #stage: Stage;
  readonly #bundles: string;
  readonly #service: ServiceTable;
  readonly #resources: GrantedResources;
  readonly #api: Api;
  readonly #releases: CanaryReleases | undefined;
  readonly #functions = new Map<string, ServiceFunction>();
  readonly #streamMappings = new Map<StreamConsumerName, string>();

  constructor(app: App, props: WorkforceStackProps) {
    const { stage, bundles, commit = "unknown", service: table = service } = props;
    super(app, namesOf(stage.name).stack, { stage, about: `stage ${stage.name}` });
    this.#stage = stage;
    this.#bundles = bundles;
    requireCallers(table, queues);
    this.#service = table;
    this.#resources = this.#addResources();
    this.#api = new Api(this, "Api", stage, this.#resources.edgeSecret);
    const { outboundBus, queues: made } = this.#resources;
    const { bus, undelivered } = addIntakeBus(this, stage.name, findQueue(made, "intake"));
    if (stage.deployment === "canary") this.#releases = new CanaryReleases(this, "Releases");
    this.#addRoutes();
    this.#addWorkers();
    this.#addSchedules();
    this.#addMonitoring(undelivered);
    if (outboundBus) denyOthers(outboundBus, this.#functions.get("send-events")?.function.role);
    this.#addManifest({ commit, hashes: hashesIn(bundles, [...this.#functions.keys()]) });
    Aspects.of(this).add(new Freeze(stage.frozen ?? false), { priority: AspectPriority.MUTATING });
    new CfnOutput(this, "BaseUrl", { value: this.#api.baseUrl });
    new CfnOutput(this, "EventBusName", { value: bus.eventBusName });
    if (outboundBus) new CfnOutput(this, "OutboundBusName", { value: outboundBus.eventBusName });
  }

  /**
   * Stores the commit of the builds outside of the functions, so that a commit which changes no function redeploys none.
   * SSM keeps the last 100 releases free of charge, each of at most 4,096 characters: some 300 functions.
   */
  #addManifest(manifest: ReleaseManifest): void {
    new StringParameter(new Construct(this, "Release"), "Parameter", {
      parameterName: namesOf(this.#stage.name).release,
      stringValue: writeManifest(manifest),
      description: "The commit of the release, and the hashes of its functions' builds",
    });
  }

  #addResources(): GrantedResources {
    const stage = this.#stage;
    const names = namesOf(stage.name);
    const records = new RecordsTable(this, tableIdOf(stage), stage);
    if (stage.removal === "keep") new TableBackups(this, "Backups", { stage, table: records.table });
    const kept = (id: string, content: SecretContent, name: string) =>
      new GeneratedSecret(this, id, content, { ...stage, name });
    // It goes with its setting, although the stage keeps its data: nothing is lost with it, and no name stays taken.
    const passing = { name: names.edgeSecret, removal: "delete" } as const;
    const queues = addQueues(this, stage);
    const quarantine = createQueue(new Construct(this, "StreamQuarantine"), "Queue");
    // The rule of the intake's bus adds to the policy of its queue.
    const unfed = queues.filter(({ name }) => name !== "intake").map(({ queue }) => queue);
    requireTls(this, [...unfed, ...queues.map(({ deadLetters }) => deadLetters), quarantine]);
    const outboundBus = hasOutboundEvents(stage) ? addOutboundBus(this, stage.name) : undefined;
    return {
      records,
      hmacKey: kept("HmacKey", hmacKeySecret, names.hmacSecret),
      signingKeys: kept("SigningKeys", signingKeys, names.signingSecret),
      queues,
      outboundBus,
      quarantine,
      emails: new EmailSending(this, "Emails", stage),
      edgeSecret: edgeOf(stage) && new GeneratedSecret(this, "EdgeSecret", edgeSecret, passing),
    };
  }

  #addFunction(name: string): ServiceFunction {
    const [stage, row] = [this.#stage, rowOf(this.#service, name)];
    const releases = row.canary ? this.#releases : undefined;
    const made = new ServiceFunction(this, name, { name, row, stage, bundles: this.#bundles, releases });
    this.#functions.set(name, made);
    grantRow(made.function, row, this.#resources, stage);
    return made;
  }

  #addRoutes(): void {
    for (const operation of this.#service.operations) {
      const throttle = this.#isAnonymousAccountRoute(operation) ? this.#stage.anonymousThrottle : undefined;
      this.#api.route(operation, this.#addFunction(operation.name), throttle);
    }
    if (hasDocs(this.#stage)) this.#api.filesRoutes(pageRoutes, this.#addFunction(pageFunction));
    this.#api.defaultRoute(this.#addFunction("refuse-unrouted"));
  }

  #addWorkers(): void {
    const { records, quarantine, queues } = this.#resources;
    for (const queue of queues) queue.addConsumer(this.#addFunction(queue.row.worker));
    const place = {
      streamArn: records.streamArn,
      tableArn: records.table.tableArn,
      quarantine,
      isWatched: isWatched(this.#stage),
    };
    for (const name of streamConsumers) {
      this.#streamMappings.set(name, addStreamConsumer(this.#addFunction(name), { name, ...place }));
    }
  }

  #addSchedules(): void {
    const { records, signingKeys } = this.#resources;
    const timeZone = this.#stage.businessTimeZone;
    for (const [name, { daily, rotatesSigningKeys }] of Object.entries(this.#service.functions)) {
      if (!daily) continue;
      const worker = this.#addFunction(name);
      const schedule = addDailySchedule(worker, { timeZone, ...daily });
      // Two calls at once would create two first keys.
      if (rotatesSigningKeys) schedule.node.addDependency(createFirstKey(worker, [signingKeys.secret, records]));
    }
  }

  #addMonitoring(undelivered: Queue): void {
    const stage = this.#stage;
    if (!isWatched(stage)) return;
    const { quarantine, queues, records } = this.#resources;
    const watched = {
      stage,
      functions: this.#functions,
      undelivered,
      streamMappings: this.#streamMappings,
      quarantine,
      queues,
      apiId: this.#api.httpApi.apiId,
    };
    new OnCall(this, "OnCall", watched);
    new RepairRole(this, "Repair", { ...watched, table: records.table });
    new Monitoring(this, "Monitoring", watched);
  }

  #isAnonymousAccountRoute({ name, access }: Operation): boolean {
    // Nobody can guess a refresh token, and a flood of guesses must not keep everybody from renewing theirs.
    if (name === refreshToken.name) return false;
    return access === "anyone" && ["accounts", "sessions"].includes(rowOf(this.#service, name).area);
  }
}

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Role } from "../../shared/contract/operation.ts";
import { type AwsEndpoints, startAwsEndpoints } from "../runtime/aws/aws-endpoints.ts";
import { type EventBuses, openEventBuses } from "../runtime/aws/event-buses.ts";
import { type LocalInbox, openInbox } from "../runtime/aws/inbox.ts";
import { localCredentials } from "../runtime/aws/local-credentials.ts";
import { generateSecret, openSecrets } from "../runtime/aws/secrets-manager.ts";
import { type Queues, startQueues } from "../runtime/aws/sqs.ts";
import { withClient } from "../runtime/aws/with-client.ts";
import { type Engine, startEngine } from "../runtime/engine/engine.ts";
import { createTable } from "../runtime/engine/local-table.ts";
import { type Builds, createEnvironments } from "../runtime/functions/environments.ts";
import { runModule } from "../runtime/program.ts";
import { bundleProgram } from "../runtime/program-bundle.ts";
import { synthesizeOnce } from "../runtime/stack/synthesis.ts";
import { type LocalFunction, type LocalStack, readStack } from "../runtime/stack/template.ts";
import { readJsonFile } from "../support/json-file.ts";
import type { Template } from "../support/stack-template.ts";
import { buildsFolder, openBuilds } from "./builds/builds.ts";
import { mintToken } from "./mint-token.ts";
import { serviceApp } from "./service-app.ts";
import { requireStoredShapes } from "./stored-shapes.ts";

const localRegion = "eu-west-2";

export interface TokenUser {
  id: number;
  role: Role;
  company_id: number | null;
}

/** Local AWS from a client's point of view. */
export interface LocalAws {
  stack: LocalStack;
  /** The environment of any client of local AWS, with every setting the stack gives its functions. */
  environment: Record<string, string>;
  /** The environment of one function, as Lambda would give it. */
  functionEnvironment(name: string): Record<string, string>;
  /** An access token for a user, signed as the service signs. This process becomes a client of local AWS. */
  mintAccessToken(user: TokenUser, lifeSeconds: number): Promise<string>;
  /** True from the creation of the table until the demo data are loaded. */
  wantsDemo: boolean;
  /** Loads the demo data in a process of its own. What follows from them comes from the stream. */
  loadDemo(): Promise<void>;
  close(): Promise<void>;
}

/** Local AWS, started by this process. */
export interface OwnLocalAws extends LocalAws {
  inbox: LocalInbox;
  endpoints: AwsEndpoints;
  buses: EventBuses;
  engine: Engine;
  builds: Builds;
  /** The source files of the stack, and when the synthesis began to read them (milliseconds since 1970). */
  made: { from: readonly string[]; at: number };
  /** Creates what a new synthesis of the stack adds. Throws one sentence if the change needs a fresh start. */
  takeIn(template: Template): Promise<TakenIn>;
}

/** A stack whose table, queues, secrets and event buses exist, and the environment of its clients. */
export type TakenIn = Pick<LocalAws, "stack" | "environment">;

/** The description of a running machine for other processes, in `<directory>/machine.json`. */
export interface MachineFile extends TakenIn {
  baseUrl: string;
}

/** The folder of a machine's data. Without it, the machine starts from scratch. */
export function dataDirectory(directory: string): string {
  return join(directory, "data");
}

/** The file by which other processes find a running machine. */
export function machineFile(directory: string): string {
  return join(directory, "machine.json");
}

/** The description of a machine that runs on a directory; undefined if none does, or one is just starting. */
export function readMachineFile(directory: string): MachineFile | undefined {
  return readJsonFile<MachineFile>(machineFile(directory));
}

/** The folder of the positions of the stream's consumers. */
export function placesDirectory(directory: string): string {
  return join(dataDirectory(directory), "stream");
}

/**
 * Starts local AWS as the stack describes it and reports slow steps to `onProgress`, also that of an engine that has to be started
 * again later. The caller holds the directory's
 * lock. Throws one sentence on data of other stored shapes.
 */
export async function startLocalAws(directory: string, onProgress?: (step: string) => void): Promise<OwnLocalAws> {
  const data = dataDirectory(directory);
  requireStoredShapes(data);
  const inbox = openInbox(join(data, "inbox.jsonl"));
  const secrets = openSecrets(join(data, "secrets.json"));
  const buses = openEventBuses(localRegion);
  await using starting = new AsyncDisposableStack();
  const start = async <T extends { close(): Promise<void> }>(part: Promise<T>) =>
    starting.adopt(await part, (each) => each.close());
  const at = Date.now();
  const parts = [
    start(startEngine(data, () => onProgress?.("The table's engine has died and is started again"))),
    start(startQueues(localRegion)),
    start(startAwsEndpoints({ inbox, secrets, buses, pushEndpointsFile: join(data, "push-endpoints.json") })),
    synthesizeOnce(serviceApp, directory, () => onProgress?.("Building the stack")),
  ] as const;
  // If one fails, the others end once they have started.
  await Promise.allSettled(parts);
  const [engine, queues, endpoints, { template, bundles, sources }] = await Promise.all(parts);
  const place = { region: localRegion, queueEndpoint: queues.endpoint };
  const takeIn: OwnLocalAws["takeIn"] = async (given) => {
    const stack = readStack(given, buildsFolder(directory), place);
    for (const { name, generation } of stack.secrets) secrets.ensure(name, () => generateSecret(generation));
    await Promise.all([createRecords(directory, stack, engine), queues.create(stack.queues)]);
    buses.open(stack.buses.names, stack.buses.rules, queues.send);
    return {
      stack,
      environment: { ...clientEnvironment(engine, queues, endpoints), ...allSettings(stack.functions) },
    };
  };
  const taken = await takeIn(template);
  const builds = openBuilds(directory, bundles);
  const described = describeLocalAws(directory, taken);
  await runTriggers(described, builds);
  const made = { from: sources, at };
  const started = starting.move();
  const close = () => started.disposeAsync();
  return { ...described, inbox, endpoints, buses, engine, builds, made, takeIn, close };
}

/** Calls the functions that a deploy of the stack calls, one after the other. Throws if one fails, as the deploy would fail. */
async function runTriggers(aws: Omit<LocalAws, "close">, builds: Builds): Promise<void> {
  await using running = new AsyncDisposableStack();
  const environments = createEnvironments({ current: () => aws, builds, output: () => {} });
  running.defer(environments.close);
  for (const name of aws.stack.triggers) {
    try {
      await environments.invoke(name, {});
    } catch (error) {
      throw new Error(`${name}, which a deploy calls, failed: ${(error as Error).message}`, { cause: error });
    }
  }
}

async function createRecords(directory: string, { table }: LocalStack, engine: Engine): Promise<void> {
  const client = new DynamoDBClient({ endpoint: engine.endpoint, region: localRegion, credentials: localCredentials });
  const created = await withClient(client, () => createTable(client, table.definition, table.name));
  if (created) writeFileSync(demoMark(directory), "");
}

function demoMark(directory: string): string {
  return join(dataDirectory(directory), "demo-wanted");
}

/** An engine that has died is back within a second, or within some if it runs on Java: four attempts a second. Tools wait by themselves. */
const patience = { CALL_ATTEMPTS: "48" };

/** Local AWS on a directory, started by this or another process. */
export function describeLocalAws(directory: string, { stack, environment }: TakenIn): Omit<LocalAws, "close"> {
  const settings = allSettings(stack.functions);
  const client = Object.entries(environment).filter(([each]) => !Object.hasOwn(settings, each));
  return {
    stack,
    environment,
    functionEnvironment(name) {
      const found = stack.functions.find((each) => each.name === name);
      if (!found)
        throw new Error(
          `The stack that runs has no function ${name}: if it is new, its stack is still being synthesised.`,
        );
      return { ...Object.fromEntries(client), ...patience, ...found.environment };
    },
    async mintAccessToken({ id, role, company_id }, lifeSeconds) {
      enterEnvironment(environment);
      const { token } = await mintToken({ id, role, financial_company_id: company_id }, lifeSeconds, new Date());
      return token;
    },
    wantsDemo: existsSync(demoMark(directory)),
    async loadDemo() {
      const { code } = await bundleProgram("infra/local/demo/demo-program.ts");
      await runModule(code, [], environment);
      rmSync(demoMark(directory), { force: true });
    },
  };
}

function clientEnvironment(engine: Engine, queues: Queues, { endpoint }: AwsEndpoints): Record<string, string> {
  return {
    // The engine has one writer, so calls wait beside an import or on a busy computer.
    CALL_PATIENCE: "10",
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: engine.endpoint,
    AWS_ENDPOINT_URL_SQS: queues.endpoint,
    AWS_ENDPOINT_URL_SES: endpoint,
    AWS_ENDPOINT_URL_SNS: endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoint,
  };
}

/** The settings of all functions together, for scripts outside Lambda that use the service's modules. */
function allSettings(functions: LocalFunction[]): Record<string, string> {
  const { OPERATION: _, ...settings } = Object.assign({}, ...functions.map((each) => each.environment));
  return settings;
}

let entered: Record<string, string> = {};

/** Makes this process a client of local AWS alone: it removes the user's own profile, keys and region, and what it entered before. */
export function enterEnvironment(environment: Record<string, string>): void {
  for (const name of Object.keys({ ...process.env, ...entered })) {
    if (name.startsWith("AWS_") || Object.hasOwn(entered, name)) delete process.env[name];
  }
  entered = environment;
  Object.assign(process.env, environment);
}

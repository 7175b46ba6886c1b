import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { queues } from "../../functions/queues.ts";
import { streamConsumers } from "../../functions/stream-filters.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { type Check, type DeployTarget, type Finding, missing, ok } from "./finding.ts";

/** Concurrency that Lambda requires to stay unreserved. */
const unreservedCalls = 100;
/** About the time that a call occupies a function. */
const callSeconds = 0.1;
/** The stream of a new on-demand table has one for each of its partitions, and each mapping calls once for each shard. */
const shardsOfNewTable = 4;
/** `mark-overdue` and `rotate-signing-key`. */
const dailyCalls = 2;
/** The quota that AWS gives on a first request without questions. */
const usualConcurrency = 1_000;

/** Checks that the region has what the stage is made of, and that the account lets its functions run side by side. */
export const capacityChecks: readonly Check[] = [
  {
    about: "region",
    asks: "A region without one of the services needs another one in the stage.",
    find: findServices,
  },
  {
    about: "Lambda concurrency",
    days: 2,
    asks: `Ask for ${usualConcurrency} concurrent executions in Service Quotas: a new account has 10 to 50; hours to days.`,
    find: findConcurrency,
  },
];

/** The services that not every region has, by their names in AWS's list. */
function servicesOf({ removal, deployment, tracing }: Stage): string[] {
  return [
    ...["apigateway", "dynamodb", "lambda", "scheduler", "ses", "sns", "sqs"],
    // The vault is there without backups, too.
    ...(removal === "keep" ? ["backup"] : []),
    ...(deployment === "canary" ? ["codedeploy"] : []),
    ...(tracing ? ["xray"] : []),
  ];
}

/** AWS answers questions about its regions in some of them; us-east-1, where every service is, is one. */
async function findServices({ stage, file, region }: DeployTarget): Promise<Finding> {
  const client = new SSMClient({ region: "us-east-1" });
  const known = async (place: string) => {
    const Names = servicesOf(stage).map(
      (name) => `/aws/service/global-infrastructure/regions/${place}/services/${name}`,
    );
    const { Parameters = [] } = await client.send(new GetParametersCommand({ Names }));
    return new Set(Parameters.flatMap(({ Name }) => (Name && Names.includes(Name) ? [Name.replace(/.*\//, "")] : [])));
  };
  const [everywhere, here] = [await known("us-east-1"), await known(region)];
  const absent = [...everywhere].filter((name) => !here.has(name));
  if (absent.length === 0) return ok(`${region} has every service of the stage`);
  return missing(`${region} has no ${absent.join(", no ")}: choose another region in ${file}.`);
}

async function findConcurrency({ stage, file }: DeployTarget): Promise<Finding> {
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const limit = AccountLimit?.ConcurrentExecutions ?? 0;
  const { reserved, requests, ofQueues, ofStream } = callsAtOnce(stage);
  const others = requests + ofQueues + ofStream + dailyCalls;
  const wanted = reserved + Math.max(others, reserved > 0 ? unreservedCalls : 0);
  if (limit >= wanted) return ok(`${limit} concurrent executions, of which the stage needs ${wanted}`);
  const { requestsPerSecond } = stage.throttle;
  const parts = [
    ...(reserved > 0 ? [`${reserved} reserved`] : []),
    `${requests} for ${requestsPerSecond} requests a second`,
    `${ofQueues} for queues`,
    `${ofStream} for the table's stream`,
    `${dailyCalls} for daily work`,
  ];
  const passing = Math.min(Math.floor(limit / callSeconds), requestsPerSecond);
  const lets = `with ${limit}, at most ${passing} requests a second get through while no worker runs, fewer beside workers, and others get 503`;
  const advice = `request ${Math.max(wanted, usualConcurrency)} in Service Quotas, which takes hours to days, or lower reservedConcurrency and throttle in ${file}`;
  return missing(
    `The account allows ${limit} concurrent executions, the stage needs ${wanted} (${parts.join(", ")}): ${lets}; ${advice}.`,
  );
}

/** The calls that run at once if all is busy. A worker that has a reservation runs within it. */
function callsAtOnce({ throttle, reservedConcurrency = {}, ...stage }: Stage) {
  const isReserved = (worker: string) => Object.hasOwn(reservedConcurrency, worker);
  const own = Object.values(queues).filter(({ onlyIf, worker }) => (onlyIf?.(stage) ?? true) && !isReserved(worker));
  return {
    reserved: Object.values(reservedConcurrency).reduce((sum, calls) => sum + calls, 0),
    requests: Math.ceil(throttle.requestsPerSecond * callSeconds),
    ofQueues: own.reduce((sum, { mostCalls }) => sum + mostCalls, 0),
    ofStream: streamConsumers.filter((name) => !isReserved(name)).length * shardsOfNewTable,
  };
}

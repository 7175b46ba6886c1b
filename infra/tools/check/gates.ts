import { findEngine } from "../../local/engine/engine-commands.ts";
import { findPython, neededPython } from "../cli/python.ts";
import { installObstacle } from "./install-obstacle.ts";

/** One gate: a program that ends with 0 when all is well. */
export interface Gate {
  readonly name: string;
  readonly title: string;
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** True where no other gate may run beside it: it measures, or keeps all processors busy. */
  readonly isAlone?: boolean;
  /** Why it cannot run on this machine; undefined when it can. */
  obstacle?(): Promise<string | undefined>;
}

/** Runs what only gates need, which is installed when the first of them runs. */
const ownProgram = "test/gates/run.ts";
/** Two gates side by side have the processors busy: more workers only make tests wait. */
const twoWorkers = "--maxWorkers=2";
/** The tests that import any of these files, at least one. */
const relatedTo = (...files: string[]) => ["related", ...files, "--run", "--passWithNoTests=false"];
const onDynamodbLocal = { DYNAMODB_ENGINE: "dynamodb-local", DYNAMODB_ENDPOINT: "" };
const installing = ["run", "--config", "test/system/deploy/vitest.config.ts"];
/** A number that no run before has had. */
const freshSeed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

/** The gates of `npm run check`. */
export const gates: readonly Gate[] = [
  {
    name: "types",
    title: "types",
    program: "node",
    parameters: [ownProgram, "tsc", "--project", "."],
    obstacle: installOwn,
  },
  {
    name: "page-types",
    title: "types of the desk's page",
    program: "node",
    parameters: [ownProgram, "tsc", "--project", "infra/local/desk/page"],
    obstacle: installOwn,
  },
  {
    name: "format",
    title: "format and lint",
    program: "biome",
    parameters: ["ci", "--error-on-warnings", "--colors=off"],
  },
  {
    name: "imports",
    title: "import rules",
    program: "node",
    parameters: [ownProgram, "depcruise", "functions", "shared", "infra", "test"],
    obstacle: installOwn,
  },
  {
    name: "unused",
    title: "unused code",
    program: "node",
    parameters: [ownProgram, "knip", "--no-progress"],
    obstacle: installOwn,
  },
  // Those that take minutes begin first: at the end none of them runs alone.
  {
    name: "programs",
    title: "local machine, commands, journeys",
    program: "vitest",
    parameters: ["run", "--project=programs", twoWorkers],
  },
  {
    name: "deploy",
    title: "deploy into an emulator",
    program: "vitest",
    parameters: [...installing, "test/system/deploy"],
    obstacle: () => pythonObstacle("the emulator", "test/system/deploy"),
  },
  ...["1", String(freshSeed)].map((seed, at) => ({
    name: at === 0 ? "properties" : "fresh",
    title: `properties, seed ${seed}`,
    program: "vitest",
    parameters: [...relatedTo("test/support/service/properties.ts"), twoWorkers],
    // The cases of the usual seed are those of `npm test`: more of them are worth their time where they are fresh.
    environment: { SEED: seed, ...(at > 0 && { COUNTS: "more" }) },
  })),
  {
    name: "synth",
    title: "synth",
    program: "cdk",
    parameters: ["synth", "--quiet", "--no-notices", "--output", ".local/check/cdk.out"],
    environment: { CDK_DISABLE_VERSION_CHECK: "true", WORKFORCE_STAGES: "" },
  },
  {
    name: "runtime",
    title: "AWS's runtime client",
    program: "vitest",
    parameters: [...installing, "test/system/runtime"],
    obstacle: () => installObstacle("the runtime client", "test/system/runtime"),
  },
  {
    name: "lint",
    title: "templates by cfn-lint",
    program: "vitest",
    parameters: [...installing, "test/system/lint"],
    obstacle: () => pythonObstacle("cfn-lint", "test/system/lint"),
  },
  {
    name: "document",
    title: "OpenAPI document: linters, generated clients",
    program: "vitest",
    parameters: ["run", "--config", "test/system/document/vitest.config.ts"],
    obstacle: () => installObstacle("linters and client generators", "test/system/document"),
  },
  {
    name: "browser",
    title: "the client in a browser",
    program: "vitest",
    parameters: [...installing, "test/system/browser"],
    obstacle: () => installObstacle("Vite", "test/system/browser"),
  },
  {
    name: "store",
    title: "store on DynamoDB Local",
    program: "vitest",
    parameters: ["run", "test/db/write-record.test.ts", "test/db/user-writes.test.ts"],
    environment: onDynamodbLocal,
    obstacle: dynamodbLocalObstacle,
  },
  {
    name: "times",
    title: "times of known and unknown logins",
    program: "vitest",
    parameters: ["run", "--project=times"],
    isAlone: true,
  },
];

/** The gates of `npm run check:long`: what `npm test` runs a little of, at full count. */
export const longGates: readonly Gate[] = [
  {
    name: "tests",
    title: "tests at full count",
    program: "vitest",
    parameters: relatedTo("test/support/service/counts.ts", "test/system/attacks/timing.test.ts"),
    environment: { COUNTS: "full", TIMED: "500", SEED: String(freshSeed) },
    isAlone: true,
  },
  {
    name: "templates",
    title: "templates of every stage by cfn-lint",
    program: "vitest",
    parameters: [...installing, "test/system/lint"],
    environment: { COUNTS: "full" },
    obstacle: () => pythonObstacle("cfn-lint", "test/system/lint"),
  },
  {
    name: "engine",
    title: "all of the store on DynamoDB Local",
    program: "vitest",
    parameters: ["run", "--project=service", "test/db", "test/bench"],
    environment: onDynamodbLocal,
    isAlone: true,
    obstacle: dynamodbLocalObstacle,
  },
  ...["cold", "warm", "store"].map((bench) => ({
    name: `bench-${bench}`,
    title: `bench ${bench}`,
    program: "node",
    parameters: ["test/bench/bench.ts", bench],
    isAlone: true,
  })),
];

/** No obstacle: where the packages cannot be installed the gate fails. Installed here, no two gates do it at once. */
async function installOwn(): Promise<undefined> {
  await installObstacle("the tools of the gates", "test/gates");
}

async function dynamodbLocalObstacle(): Promise<string | undefined> {
  try {
    findEngine("dynamodb-local", { directory: ".", port: 0 });
    return undefined;
  } catch {
    return "it needs Java 17 or newer";
  }
}

/** Where there is no Python, or no way to its packages, the gate cannot run; a program that fails is another thing. */
async function pythonObstacle(what: string, folder: string): Promise<string | undefined> {
  return findPython() ? installObstacle(what, folder) : `it needs ${neededPython}`;
}

import { findEngine } from "../../local/engine/engine-commands.ts";
import { findPython, neededPython } from "../cli/python.ts";
import { installObstacle } from "./install-obstacle.ts";

/** One gate: a program that ends with 0 on success. */
export interface Gate {
  readonly name: string;
  readonly title: string;
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** True if no other gate may run beside it, because it measures or keeps all processors busy. */
  readonly isAlone?: boolean;
  /** The reason why it cannot run on this machine; undefined if it can. */
  obstacle?(): Promise<string | undefined>;
}

/** Runs tools that only gates need, and installs them at the first use. */
const ownProgram = "test/gates/run.ts";
/** Two gates side by side keep the processors busy; more workers would only make tests wait. */
const twoWorkers = "--maxWorkers=2";
/** The tests that import one of these files. There must be at least one. */
const relatedTo = (...files: string[]) => ["related", ...files, "--run", "--passWithNoTests=false"];
const onDynamodbLocal = { DYNAMODB_ENGINE: "dynamodb-local", DYNAMODB_ENDPOINT: "" };
const installing = ["run", "--config", "test/system/deploy/vitest.config.ts"];
/** A seed that no run before has used. */
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
    program: "node",
    parameters: [ownProgram, "biome", "ci", "--error-on-warnings", "--colors=off"],
    obstacle: installOwn,
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
  // The gates that take minutes begin first, so that none of them runs alone at the end.
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
    parameters: [
      ...relatedTo("test/support/service/properties.ts", ...(at > 0 ? ["test/support/service/fresh-counts.ts"] : [])),
      twoWorkers,
    ],
    // `npm test` runs the cases of the usual seed, and a part of those that only here are all run.
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
    title: "OpenAPI document: linters, generated clients, receivers of events",
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
    parameters: ["run", "test/db/write-record.test.ts", "test/db/accounts/user-writes.test.ts"],
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

/** The gates of `npm run check:long`: tests of which `npm test` runs a part, at full count. */
export const longGates: readonly Gate[] = [
  {
    name: "tests",
    title: "tests at full count",
    program: "vitest",
    parameters: relatedTo("test/support/service/counts.ts", "test/system/attacks/known-logins/timing.test.ts"),
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
  {
    name: "plant",
    title: "60 planted faults",
    program: "node",
    parameters: ["test/plant/plant.ts", "--places", "60"],
    isAlone: true,
  },
  ...["cold", "warm", "store"].map((bench) => ({
    name: `bench-${bench}`,
    title: `bench ${bench}`,
    program: "node",
    parameters: ["test/bench/bench.ts", bench],
    isAlone: true,
  })),
];

/**
 * Never an obstacle: if the packages cannot be installed, the gate fails. Installing here keeps two gates from
 * installing at once.
 */
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

/** Without Python or a way to its packages the gate cannot run. A program that fails is a failure. */
async function pythonObstacle(what: string, folder: string): Promise<string | undefined> {
  return findPython() ? installObstacle(what, folder) : `it needs ${neededPython}`;
}

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTurns } from "../../../shared/batches.ts";
import { findEngine } from "../../local/engine/engine-commands.ts";
import { root } from "../../local/stack/synthesis.ts";

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

/** Two gates side by side keep the processors busy; more workers would only make tests wait. */
const twoWorkers = "--maxWorkers=2";
/** The tests that import one of these files. There must be at least one. */
const relatedTo = (...files: string[]) => ["related", ...files, "--run", "--passWithNoTests=false"];
/** A seed that no run before has used. */
const freshSeed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

const cfnLint = ["cfn-lint", "test/system/lint"] as const;

/** The gates of `npm run check`. */
export const gates: readonly Gate[] = [
  byOwnTool("types", "types", "tsc", "--project", "."),
  byOwnTool("page-types", "types of the desk's page", "tsc", "--project", "infra/local/desk/page"),
  byOwnTool("format", "format and lint", "biome", "ci", "--error-on-warnings", "--colors=off"),
  byOwnTool("imports", "import rules", "depcruise", "functions", "shared", "infra", "test"),
  byOwnTool("unused", "unused code", "knip", "--no-progress"),
  // The gates that take minutes begin first, so that none of them runs alone at the end.
  {
    name: "programs",
    title: "local machine, commands, browsers, journeys",
    program: "vitest",
    parameters: ["run", "--project=programs", twoWorkers],
  },
  byInstalledTests("deploy", "deploy into an emulator", "the emulator", "test/system/deploy"),
  {
    name: "fresh",
    title: `properties, seed ${freshSeed}`,
    program: "vitest",
    parameters: [
      ...relatedTo("test/support/service/properties.ts", "test/support/service/fresh-counts.ts"),
      twoWorkers,
    ],
    // `npm test` runs the cases of the usual seed, and a part of those that only here are all run.
    environment: { SEED: String(freshSeed), COUNTS: "more" },
  },
  byInstalledTests("runtime", "AWS's runtime client", "the runtime client", "test/system/runtime"),
  byInstalledTests("lint", "templates by cfn-lint", ...cfnLint),
  {
    name: "document",
    title: "OpenAPI document: linters, generated clients, receivers of events",
    program: "vitest",
    parameters: ["run", "--config", "test/system/document/vitest.config.ts"],
    obstacle: () => installObstacle("linters and client generators", "test/system/document"),
  },
  onDynamodbLocal(
    "store",
    "writes of records and accounts on DynamoDB Local",
    "test/db/write-record.test.ts",
    "test/db/accounts",
  ),
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
    ...byInstalledTests("templates", "templates of every stage by cfn-lint", ...cfnLint),
    environment: { COUNTS: "full" },
  },
  onDynamodbLocal("all-store", "all of the store on DynamoDB Local", "test/db"),
  {
    name: "plant",
    title: "60 planted faults",
    program: "node",
    parameters: ["test/plant/plant.ts", "--places", "60"],
    isAlone: true,
  },
  ...["cold", "warm"].map((bench) => ({
    name: `bench-${bench}`,
    title: `bench ${bench}`,
    program: "node",
    parameters: ["test/bench/bench.ts", bench],
    isAlone: true,
  })),
];

const run = promisify(execFile);
/** Only one installation at a time, because several gates share a folder. Other gates keep running. */
const inTurn = createTurns();

/** The reason why the packages of a folder's tests could not be installed; undefined if they are. */
function installObstacle(what: string, folder: string): Promise<string | undefined> {
  return inTurn("installation", async () => {
    try {
      await run(process.execPath, [join(root, folder, "install.ts")]);
      return undefined;
    } catch (error) {
      const { stderr } = error as { readonly stderr: string };
      return `${what} could not be installed: ${stderr.trim().split("\n").at(-1)}`;
    }
  });
}

/**
 * A gate by a tool that only gates need. Never an obstacle: if the packages cannot be installed, the gate fails. Installing here
 * keeps two gates from installing at once.
 */
function byOwnTool(name: string, title: string, ...parameters: string[]): Gate {
  const obstacle = () => installObstacle("the tools of the gates", "test/gates").then(() => undefined);
  return { name, title, program: "node", parameters: ["test/gates/run.ts", ...parameters], obstacle };
}

function byInstalledTests(name: string, title: string, what: string, folder: string): Gate {
  const parameters = ["run", "--config", "test/system/deploy/vitest.config.ts", folder];
  return { name, title, program: "vitest", parameters, obstacle: () => installObstacle(what, folder) };
}

/** DynamoDB Local refuses what DynamoDB refuses, such as attributes that an index lacks; the engine of `npm test` does not. */
function onDynamodbLocal(name: string, title: string, ...tests: string[]): Gate {
  return {
    name,
    title,
    program: "vitest",
    parameters: ["run", "--project=service", ...tests, twoWorkers],
    environment: { DYNAMODB_ENGINE: "dynamodb-local", DYNAMODB_ENDPOINT: "" },
    obstacle: dynamodbLocalObstacle,
  };
}

async function dynamodbLocalObstacle(): Promise<string | undefined> {
  try {
    findEngine("dynamodb-local", { directory: ".", port: 0 });
    return undefined;
  } catch {
    return "it needs Java 17 or newer";
  }
}

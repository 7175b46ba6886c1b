import { matchesGlob } from "node:path";
import { Annotations, App } from "aws-cdk-lib";
import { BUNDLING_STACKS } from "aws-cdk-lib/cx-api";
import { describeLock } from "./constructs/stores/table-backups.ts";
import { FirewallStack } from "./firewall-stack.ts";
import { bundleFunctions } from "./functions/bundle.ts";
import { makeBundleFolders } from "./functions/entries.ts";
import { OutsideCheckStack } from "./outside-check-stack.ts";
import { RefusedStack } from "./stage-stack.ts";
import { namesOf } from "./stages/names.ts";
import { type DeployEnvironment, deployFaults, isStageName } from "./stages/stage-rules.ts";
import { type ChosenStage, chooseStage, readStages, StageRefusal } from "./stages/stages.ts";
import { addStack, createApp } from "./synthesize.ts";

/** A stack that a stage can have. */
interface StackRow {
  readonly name: string;
  /** The reasons why it cannot be deployed, in one sentence each. */
  readonly faults: readonly string[];
  add(app: App): void;
}

/**
 * Synthesises the stacks of the stage that the cdk command names (`-c stage=NAME`, dev by default; `-c stages=FILE`). What is wrong
 * with the call is said on standard error, and the process ends with 1.
 */
export function runApp(): void {
  try {
    synthesizeStage();
  } catch (error) {
    if (!(error instanceof StageRefusal)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

function synthesizeStage(): void {
  // The context of the cdk command, which decides how the app itself is made.
  const { node } = new App({ autoSynth: false });
  const release = node.tryGetContext("release");
  if (![undefined, "now"].includes(release)) {
    throw new StageRefusal([`Leave release out, or set it to now (-c release=now): it is ${JSON.stringify(release)}.`]);
  }
  const chosen = chooseStage(node.tryGetContext("stage") ?? "dev", readStages(node.tryGetContext("stages")));
  const selected: readonly string[] = node.tryGetContext(BUNDLING_STACKS) ?? ["**"];
  const isSelected = (name: string) => selected.some((pattern) => matchesGlob(name, pattern));
  const rows = stacksOf(chosen, isSelected);
  sayStacks(chosen.stage.name, rows, selected);
  // To validate templates takes longer than to make them: a command that makes nothing of one, such as `cdk list`, need not wait.
  const isValidated = rows.some(({ name, faults }) => isSelected(name) && faults.length === 0);
  const app = createApp({ builtinCloudFormationValidation: isValidated });
  for (const { name, faults, add } of rows) {
    if (faults.length === 0) add(app);
    else new RefusedStack(app, name, { stage: chosen.stage, faults });
  }
  app.synth();
}

/** The stacks that the stage can have. Throws `StageRefusal` if there is no name for any. */
function stacksOf(chosen: ChosenStage, isSelected: (name: string) => boolean): StackRow[] {
  const { stage } = chosen;
  if (stage.name === "local") throw new StageRefusal(["The stage local is this machine's: it is not deployed."]);
  // The cdk command takes region and account from its credentials. Stacks beside the service's have a fixed region.
  const { CDK_DEFAULT_REGION: region, CDK_DEFAULT_ACCOUNT: account } = process.env;
  const faultsOf = (credentials: DeployEnvironment, of = stage) => deployFaults({ ...chosen, stage: of }, credentials);
  const names = namesOf(stage.name);
  const service: StackRow = {
    name: names.stack,
    faults: faultsOf({ region, account }),
    add(app) {
      const stack = addStack(app, stage, isSelected(names.stack) ? bundleFunctions : makeBundleFolders);
      const lock = describeLock(stage);
      if (lock !== undefined) Annotations.of(stack).addWarningV2("workforce:backupLock", lock);
    },
  };
  const firewall: StackRow = {
    name: names.firewall,
    // It is deployed before its stage can name an edge.
    faults: faultsOf({ account }, { edge: "none", ...stage }),
    add: (app) => void new FirewallStack(app, stage),
  };
  const outside: StackRow = {
    name: names.outside,
    faults: faultsOf({ account }),
    add: (app) => void new OutsideCheckStack(app, stage),
  };
  if (!isStageName(stage.name)) throw new StageRefusal(service.faults);
  return [
    service,
    ...(stage.removal === "keep" ? [firewall] : []),
    ...(stage.probedHost === undefined ? [] : [outside]),
  ];
}

/** The cdk command names the stacks to an app only with `--exclusively`; without it, the command's own refusal follows this line. */
function sayStacks(stage: string, rows: readonly StackRow[], selected: readonly string[]): void {
  const known = rows.map(({ name }) => name);
  const others = selected.filter((pattern) => !known.some((name) => matchesGlob(name, pattern)));
  const said = `Stacks of the stage ${stage}: ${known.join(", ")}`;
  if (others.length > 0) {
    const advice = "-c stage=NAME chooses another stage";
    throw new StageRefusal([`There is no stack ${others.join(", ")}. ${said} (${advice}).`]);
  }
  if (selected.length > 0) process.stderr.write(`${said}\n`);
}

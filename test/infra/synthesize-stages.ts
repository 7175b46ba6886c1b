import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, type CfnResource, CfnStack, type Stack } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { FirewallStack } from "../../infra/firewall-stack.ts";
import { functions } from "../../infra/functions/functions.ts";
import type { ServiceTable } from "../../infra/functions/service-table.ts";
import { ProbeStack } from "../../infra/probe-stack.ts";
import { type Stage, stageNames } from "../../infra/stages/stages.ts";
import { createApp } from "../../infra/synthesize.ts";
import type { DeployedStage } from "../../infra/tools/docs/figures/deployed-figures.ts";
import { readWholeTemplate, type Template, type WholeTemplate } from "../../infra/whole-template.ts";
import { WorkforceStack } from "../../infra/workforce-stack.ts";
import { fullStage, ownedStage } from "./stages/owned-stage.ts";

export interface CheckedSynthesis extends WholeTemplate {
  readonly findings: readonly Finding[];
  /** The number of resources that cdk-nag was shown, nested stacks themselves not counted. */
  readonly checkedResources: number;
  readonly isProtected: boolean;
}

export interface Finding {
  readonly rule: string;
  readonly path: string;
}

/** Every stage as its owner would have it, and the full one. */
export const everyStage: readonly Stage[] = [...stageNames.map(ownedStage), fullStage];

function synthesizeEveryStage(directory: string): void {
  const made = join(directory, "made");
  const bundles = join(made, "bundles");
  writeStubBundles(bundles, Object.keys(functions));
  for (const stage of everyStage) {
    const { stack, whole } = makeStage({ stage, bundles, outdir: join(made, stage.name) });
    writeFileSync(join(directory, `${stage.name}.json`), JSON.stringify({ ...whole, ...check(stack) }));
  }
  rmSync(made, { recursive: true });
}

/**
 * Writes a bundle for each function, which says the name or what is given: a template names its bundles by digest alone, and
 * is the same with small ones.
 */
export function writeStubBundles(bundles: string, names: readonly string[], content?: string): void {
  for (const name of names) {
    mkdirSync(join(bundles, name), { recursive: true });
    writeFileSync(join(bundles, name, "index.js"), content ?? name);
  }
}

/** The input of a synthesis: an empty folder to write into, and a table of functions where it is not the usual one. */
export interface StagePlace {
  readonly stage: Stage;
  readonly bundles: string;
  readonly outdir: string;
  readonly service?: ServiceTable;
  readonly commit?: string;
  /** The context that the cdk command was given with `-c`. */
  readonly context?: Readonly<Record<string, unknown>>;
}

export function synthesizeStage(place: StagePlace): WholeTemplate {
  return makeStage(place).whole;
}

function makeStage({ outdir, context, ...props }: StagePlace): { stack: WorkforceStack; whole: WholeTemplate } {
  const app = createApp({
    outdir,
    treeMetadata: false,
    // To note where each construct is made takes a sixth of a synthesis, and is in no template.
    context: { "aws:cdk:disable-asset-staging": true, "aws:cdk:disable-creation-stack-traces": true, ...context },
  });
  const stack = new WorkforceStack(app, props);
  return { stack, whole: readWholeTemplate(app.synth().directory, stack.templateFile) };
}

/** cdk-nag, which also notes what it is shown. */
class Checks extends AwsSolutionsChecks {
  readonly shown = new Set<CfnResource>();

  protected override checkResource(node: CfnResource): void {
    this.shown.add(node);
    super.checkResource(node);
  }
}

function check(stack: Stack): Omit<CheckedSynthesis, keyof WholeTemplate> {
  const checks = new Checks();
  const { violations } = checks.validateScope(stack);
  const findings = violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath = "" }) => ({ rule: ruleName, path: constructPath })),
  );
  return {
    findings,
    isProtected: stack.terminationProtection,
    checkedResources: [...checks.shown].filter((each) => !(each instanceof CfnStack)).length,
  };
}

export function synthesizeBeside(make: (app: App) => Stack) {
  const outdir = mkdtempSync(join(tmpdir(), "workforce-beside-"));
  try {
    const app = createApp({ outdir });
    const stack = make(app);
    const checked = check(stack);
    const { environment, template } = app.synth().getStackArtifact(stack.artifactId);
    return { ...checked, template: template as Template, region: environment.region };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** The full stage with its check from outside and its firewall. */
export function withStacksBeside({ name, template }: DeployedStage): DeployedStage {
  const beside = [ProbeStack, FirewallStack].map(
    (Kind) => synthesizeBeside((app) => new Kind(app, fullStage)).template,
  );
  const resources = beside.map(({ Resources }) => Resources);
  return { name, template: { Resources: Object.assign({}, template.Resources, ...resources) } };
}

if (import.meta.main) synthesizeEveryStage(process.argv[2] ?? "");

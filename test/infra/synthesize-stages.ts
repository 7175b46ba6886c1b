import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App, CfnResource, Stack } from "aws-cdk-lib";
import { EnvironmentUtils, UNKNOWN_ACCOUNT, UNKNOWN_REGION } from "aws-cdk-lib/cx-api";
import { AwsSolutionsChecks } from "cdk-nag";
import { functions } from "../../infra/functions/functions.ts";
import type { ServiceTable } from "../../infra/functions/service-table.ts";
import type { Stage } from "../../infra/stages/stage-shape.ts";
import { stageNames } from "../../infra/stages/stages.ts";
import type { Template } from "../../infra/support/stack-template.ts";
import { createApp } from "../../infra/synthesize.ts";
import { WorkforceStack } from "../../infra/workforce-stack.ts";
import { fullStage, ownedStage } from "./stages/owned-stage.ts";

export interface CheckedSynthesis {
  readonly template: Template;
  readonly findings: readonly Finding[];
  /** The number of resources that cdk-nag was shown. */
  readonly checkedResources: number;
  readonly isProtected: boolean;
}

export interface Finding {
  readonly rule: string;
  readonly path: string;
}

const failedEnding = ".failed";

/** Every stage as its owner would have it, and the full one. */
export const everyStage: readonly Stage[] = [...stageNames.map(ownedStage), fullStage];

/** Writes a file for each stage: its synthesis, or why it has none, so that its own tests alone fail. */
export function synthesizeStages(stages: readonly Stage[], directory: string): void {
  const made = join(directory, "made");
  const bundles = join(made, "bundles");
  writeStubBundles(bundles, Object.keys(functions));
  for (const stage of stages) {
    try {
      const { stack, template } = makeStage({ stage, bundles, outdir: join(made, stage.name) });
      writeFileSync(join(directory, `${stage.name}.json`), JSON.stringify({ template, ...check(stack) }));
    } catch (error) {
      writeFileSync(join(directory, `${stage.name}${failedEnding}`), String(error));
    }
  }
  rmSync(made, { recursive: true });
}

/** Reads the synthesis of a stage from the folder; throws what its synthesis threw. */
export function readSynthesis(directory: string, name: string): CheckedSynthesis {
  const failure = join(directory, `${name}${failedEnding}`);
  if (existsSync(failure)) throw new Error(`The stage ${name} has no synthesis: ${readFileSync(failure, "utf8")}`);
  return JSON.parse(readFileSync(join(directory, `${name}.json`), "utf8"));
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

export function synthesizeStage(place: StagePlace): Template {
  return makeStage(place).template;
}

function makeStage({ outdir, context, ...props }: StagePlace): { stack: WorkforceStack; template: Template } {
  const app = createApp({
    outdir,
    treeMetadata: false,
    // To note where each construct is made takes a sixth of a synthesis, and is in no template.
    context: { "aws:cdk:disable-asset-staging": true, "aws:cdk:disable-creation-stack-traces": true, ...context },
  });
  const stack = new WorkforceStack(app, props);
  const { template } = app.synth().getStackArtifact(stack.artifactId);
  return { stack, template: placeIn(template, stack) };
}

/** A stack's template as AWS reads it in the account and region that the stack is for, as far as it names them. */
function placeIn(template: Template, { environment }: Stack): Template {
  const { account, region } = EnvironmentUtils.parse(environment);
  const named: Readonly<Record<string, string>> = {
    ...(account !== UNKNOWN_ACCOUNT && { "AWS::AccountId": account }),
    ...(region !== UNKNOWN_REGION && { "AWS::Region": region, "AWS::Partition": "aws" }),
  };
  const placed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(placed);
    if (typeof value !== "object" || value === null) return value;
    const { Ref, "Fn::Join": joined } = value as { Ref?: unknown; "Fn::Join"?: [string, unknown[]] };
    if (typeof Ref === "string" && Object.hasOwn(named, Ref)) return named[Ref];
    if (joined?.[0] === "" && Array.isArray(joined[1])) return joinTexts(joined[1].map(placed));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, placed(member)]));
  };
  return placed(template) as Template;
}

function joinTexts(parts: readonly unknown[]): unknown {
  const merged: unknown[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (typeof part === "string" && typeof last === "string") merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  return merged.length === 1 ? merged[0] : { "Fn::Join": ["", merged] };
}

/** cdk-nag, which also notes what it is shown. */
class Checks extends AwsSolutionsChecks {
  readonly shown = new Set<CfnResource>();

  protected override checkResource(node: CfnResource): void {
    this.shown.add(node);
    super.checkResource(node);
  }
}

function check(stack: Stack): Omit<CheckedSynthesis, "template"> {
  const checks = new Checks();
  const { violations } = checks.validateScope(stack);
  const findings = violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath = "" }) => ({ rule: ruleName, path: constructPath })),
  );
  return {
    findings,
    isProtected: stack.terminationProtection,
    checkedResources: checks.shown.size,
  };
}

export function synthesizeBeside(make: (app: App) => Stack) {
  const outdir = mkdtempSync(join(tmpdir(), "workforce-beside-"));
  try {
    const app = createApp({ outdir });
    const stack = make(app);
    const checked = check(stack);
    const { environment, template } = app.synth().getStackArtifact(stack.artifactId);
    return { ...checked, template: placeIn(template, stack), region: environment.region };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

if (import.meta.main) synthesizeStages(everyStage, process.argv[2] ?? "");

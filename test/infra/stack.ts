import { join } from "node:path";
import { inject } from "vitest";
import { functions as ownFunctions } from "../../infra/functions/functions.ts";
import type { Template } from "../../infra/support/stack-template.ts";
import { synthesizedTemplate } from "../support/service/made-stack.ts";
import { newFolder } from "../support/service/new-folder.ts";
import {
  type CheckedSynthesis,
  readSynthesis,
  type StagePlace,
  synthesizeBeside,
  synthesizeStage,
  writeStubBundles,
} from "./synthesize-stages.ts";

/** A resource of the template; laws look into its properties. */
export interface Resource {
  readonly id: string;
  readonly properties: Properties;
  /** Ids of the resources that must be there before it. */
  readonly dependsOn: readonly string[];
  readonly deletionPolicy: string | undefined;
  readonly updateReplacePolicy: string | undefined;
  readonly updatePolicy: Properties | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: what CloudFormation takes for any type of resource
type Properties = Record<string, any>;

/** The rights that a statement of a policy allows or denies. */
export interface Statement {
  readonly Effect: string;
  readonly Action?: string | string[];
  readonly NotAction?: unknown;
  readonly Resource?: unknown;
  readonly NotResource?: unknown;
  readonly Condition?: unknown;
}

/** The synthesised stack that a test file holds its laws against. */
export type SynthesizedStack = ReturnType<typeof readStack>;

/** The stack of the local machine, synthesised once for the run. */
export async function useStack(): Promise<SynthesizedStack> {
  return readStack(await synthesizedTemplate());
}

/** The stack of a stage whose placeholders are replaced, or of the full one; synthesised once for the run. */
export function stackOf(name: string): SynthesizedStack {
  return readStack(findSynthesis(name).template);
}

/** A stack that stands beside a stage's own, with what cdk-nag finds. */
export function stackBeside(make: Parameters<typeof synthesizeBeside>[0]) {
  const made = synthesizeBeside(make);
  return { ...made, ...readStack(made.template) };
}

/** A stage that no other test needs, or one with other bundles than the small ones. */
export function synthesizeAlone(place: Partial<StagePlace> & Pick<StagePlace, "stage">): Template {
  const outdir = newFolder();
  const bundles = join(outdir, "bundles");
  if (!place.bundles) writeStubBundles(bundles, Object.keys(place.service?.functions ?? ownFunctions));
  return synthesizeStage({ bundles, outdir: join(outdir, "out"), ...place });
}

/** A value of a template as text: what it takes of another resource is that resource's name. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const [[kind, about] = []] = Object.entries(value as Record<string, unknown>);
  if (kind === "Ref") return pseudoParameters[String(about)] ?? String(about).replace(/[0-9A-F]{8}$/, "");
  if (kind === "Fn::GetAtt") return textOf({ Ref: (about as string[])[0] });
  if (kind === "Fn::Join") return (about as [string, unknown[]])[1].map(textOf).join("");
  throw new Error(`No test knows what the template means by ${JSON.stringify(value)}`);
}

const pseudoParameters: Readonly<Record<string, string>> = {
  "AWS::Partition": "aws",
  "AWS::Region": "*",
  "AWS::AccountId": "*",
};

/** Whether a pattern of a policy matches a resource, or a value. */
export function matches(pattern: string, resource: string): boolean {
  return new RegExp(`^${pattern.replaceAll(/[^\w*]/g, "\\$&").replaceAll("*", ".*")}$`).test(resource);
}

export function arnOf({ id }: Pick<Resource, "id">): object {
  return { "Fn::GetAtt": [id, "Arn"] };
}

const found = new Map<string, CheckedSynthesis>();

export function findSynthesis(name: string): CheckedSynthesis {
  const synthesis = found.get(name) ?? readSynthesis(join(inject("run"), "stages"), name);
  found.set(name, synthesis);
  return synthesis;
}

/** The resources of a template, to hold laws against. */
export function readStack(template: Template) {
  const resources = template.Resources as Record<string, Properties>;

  /** The resources of a type such as `AWS::SQS::Queue`; throws when there are none, as a law over nothing proves nothing. */
  const all = (type: string): Resource[] => {
    const found = Object.entries(resources).filter(([, { Type }]) => Type === type);
    if (found.length === 0) throw new Error(`The stack has no ${type}`);
    return found.map(([id, { Properties, DependsOn = [], ...policies }]) => ({
      id,
      properties: Properties,
      dependsOn: [DependsOn].flat(),
      deletionPolicy: policies.DeletionPolicy,
      updateReplacePolicy: policies.UpdateReplacePolicy,
      updatePolicy: policies.UpdatePolicy,
    }));
  };

  /** The one resource of a type whose id begins so; throws if there is none, or a second one. */
  const one = (type: string, start = ""): Resource => {
    const [only, ...others] = all(type).filter(({ id }) => id.startsWith(start));
    if (!only || others.length > 0) throw new Error(`The stack has ${others.length + (only ? 1 : 0)} ${type} ${start}`);
    return only;
  };

  /** The service's functions by the operation they run; those of the CDK, which help a deploy, are not among them. */
  const functions = () => {
    const found = all("AWS::Lambda::Function").filter(({ properties }) => properties.Environment?.Variables?.OPERATION);
    return new Map(found.map((fn): [string, Resource] => [fn.properties.Environment.Variables.OPERATION, fn]));
  };

  /** Everything that roles are allowed, by the id of the role. */
  const rights = () =>
    new Map(
      all("AWS::IAM::Role").map(({ id, properties }) => {
        const beside = Object.values(resources).filter(
          ({ Type, Properties }) =>
            Type === "AWS::IAM::Policy" && Properties.Roles.some((role: { Ref: string }) => role.Ref === id),
        );
        const documents = [...(properties.Policies ?? []), ...beside.map(({ Properties }) => Properties)];
        const statements: Statement[] = documents.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
        return [id, statements.filter(({ Effect }) => Effect === "Allow")] as const;
      }),
    );
  const rightsOf = (name: string) => rights().get(functions().get(name)?.properties.Role["Fn::GetAtt"][0]) ?? [];
  return { all, one, functions, rights, rightsOf, template };
}

import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { inject } from "vitest";
import type { Stage } from "../../infra/stages.ts";
import { WorkforceStack } from "../../infra/workforce-stack.ts";

/** A resource of the template; laws look into its properties. */
export interface Resource {
  readonly id: string;
  readonly properties: Properties;
  /** Ids of the resources that must be there before it. */
  readonly dependsOn: readonly string[];
  readonly deletionPolicy: string | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: what CloudFormation takes for any type of resource
type Properties = Record<string, any>;

interface TemplateResource {
  readonly Type: string;
  readonly Properties: Properties;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
}

type TemplateResources = Record<string, TemplateResource>;

/** The synthesised stack that a test file holds its laws against. */
export interface SynthesizedStack {
  /** The resources of a type such as `AWS::SQS::Queue`; throws when there are none, as a law over nothing proves nothing. */
  all(type: string): Resource[];
  /** The service's functions by the operation they run; those of the CDK, which help a deploy, are not among them. */
  functions(): Map<string, Resource>;
  /** The whole template. */
  template: object;
  /** Folder that the bundles were built into. */
  bundles: string;
}

/** The stack that was synthesised for this run. */
export function useStack(): SynthesizedStack {
  return { ...read(inject("template")), bundles: inject("bundles") };
}

/** The stack of any stage, with the bundles of this run. */
export function stackOf(stage: Stage): SynthesizedStack {
  const bundles = inject("bundles");
  // The bundles are where they are: copying them for each stack takes seconds.
  const app = new App({ analyticsReporting: false, context: { "aws:cdk:disable-asset-staging": true } });
  const template = Template.fromStack(new WorkforceStack(app, { stage, bundles })).toJSON();
  return { ...read(template), bundles };
}

function read(template: object): Omit<SynthesizedStack, "bundles"> {
  const { Resources: resources } = template as { Resources: TemplateResources };
  const all = (type: string) => {
    const found = Object.entries(resources).filter(([, { Type }]) => Type === type);
    if (found.length === 0) throw new Error(`The stack has no ${type}`);
    return found.map(([id, { Properties, DependsOn = [], DeletionPolicy }]) => ({
      id,
      properties: Properties,
      dependsOn: [DependsOn].flat() as string[],
      deletionPolicy: DeletionPolicy,
    }));
  };
  const functions = () => {
    const operationOf = ({ properties }: Resource) =>
      properties.Environment?.Variables?.OPERATION as string | undefined;
    return new Map(
      all("AWS::Lambda::Function").flatMap((fn) => {
        const operation = operationOf(fn);
        return operation === undefined ? [] : [[operation, fn] as const];
      }),
    );
  };
  return { all, functions, template };
}

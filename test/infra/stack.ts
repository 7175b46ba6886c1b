import { inject } from "vitest";

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
  /** Folder that the bundles were built into. */
  bundles: string;
}

/** The stack that was synthesised for this run. */
export function useStack(): SynthesizedStack {
  const resources = inject("template").Resources as TemplateResources;
  return { ...read(resources), bundles: inject("bundles") };
}

function read(resources: TemplateResources): Omit<SynthesizedStack, "bundles"> {
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
  return { all, functions };
}

import { inject } from "vitest";

/** A resource of the template; laws look into its properties. */
export interface Resource {
  readonly id: string;
  readonly properties: Properties;
}

// biome-ignore lint/suspicious/noExplicitAny: what CloudFormation takes for any type of resource
type Properties = Record<string, any>;

type TemplateResources = Record<string, { readonly Type: string; readonly Properties: Properties }>;

/** The synthesised stack that a test file holds its laws against. */
export interface SynthesizedStack {
  /** The resources of a type such as `AWS::SQS::Queue`; throws when there are none, as a law over nothing proves nothing. */
  all(type: string): Resource[];
  /** The functions by the operation they run. */
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
    return found.map(([id, { Properties }]) => ({ id, properties: Properties }));
  };
  const functions = () =>
    new Map(all("AWS::Lambda::Function").map((fn) => [String(fn.properties.Environment?.Variables?.OPERATION), fn]));
  return { all, functions };
}

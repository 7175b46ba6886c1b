import { type SynthesizedStack, textOf } from "../../infra/stack.ts";

export interface GivenRight {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** True where the resources are those that it does not reach. */
  readonly isAllBut: boolean;
  readonly conditions: readonly Condition[];
}

/** A condition of a statement: the key's values are to be among these. */
export interface Condition {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly string[];
}

export interface FunctionRights {
  readonly caller: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly given: readonly GivenRight[];
}

/** The roles of the stack's functions. Throws on a policy that says more than it can compare. */
export function readRights(stack: Pick<SynthesizedStack, "functions" | "rightsOf">): FunctionRights[] {
  return [...stack.functions()].map(([caller, { properties }]) => {
    const settings = Object.entries(properties.Environment.Variables).map(([name, value]) => [name, textOf(value)]);
    return { caller, settings: Object.fromEntries(settings), given: stack.rightsOf(caller).map(readStatement) };
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a statement as the template writes it
export function readStatement({ Effect, Action, Resource, NotResource, Condition = {}, ...others }: any): GivenRight {
  if (Effect !== "Allow" || !Action || Object.keys(others).some((name) => name !== "Sid")) {
    throw new Error(`No test knows what this statement means: ${JSON.stringify({ Effect, Action, ...others })}`);
  }
  const conditions = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys as object).map(([key, values]) => ({ operator, key, values: [values].flat().map(textOf) })),
  );
  const resources = [NotResource ?? Resource].flat().map(textOf);
  return { actions: [Action].flat(), resources, isAllBut: NotResource !== undefined, conditions };
}

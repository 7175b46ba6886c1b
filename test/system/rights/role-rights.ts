import type { SynthesizedStack } from "../../infra/stack.ts";

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

/** The rights of a role that no function has, with the settings of whoever takes it. */
export function readRole(
  stack: Pick<SynthesizedStack, "rights">,
  role: string,
  caller: string,
  settings: FunctionRights["settings"],
): FunctionRights {
  return { caller, settings, given: (stack.rights().get(role) ?? []).map(readStatement) };
}

// biome-ignore lint/suspicious/noExplicitAny: a statement as the template writes it
function readStatement({ Effect, Action, Resource, NotResource, Condition = {}, ...others }: any): GivenRight {
  if (Effect !== "Allow" || !Action || Object.keys(others).some((name) => name !== "Sid")) {
    throw new Error(`No test knows what this statement means: ${JSON.stringify({ Effect, Action, ...others })}`);
  }
  const conditions = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys as object).map(([key, values]) => ({ operator, key, values: [values].flat().map(textOf) })),
  );
  const resources = [NotResource ?? Resource].flat().map(textOf);
  return { actions: [Action].flat(), resources, isAllBut: NotResource !== undefined, conditions };
}

/** A value of the template as text: what it takes of another resource is that resource's name. */
function textOf(value: unknown): string {
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

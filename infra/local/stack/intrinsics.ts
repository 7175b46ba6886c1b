/** The values of a resource's `Ref` and attributes on the local machine. */
export interface LocalNames {
  ref(logicalId: string): string;
  attribute(logicalId: string, name: string): string;
}

/**
 * Evaluates the intrinsic functions of CloudFormation that the stack has, in the forms in which the CDK writes them. Throws on a
 * function it does not know.
 */
export function resolveValue(value: unknown, names: LocalNames): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveValue(each, names));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [name = "", argument] = entries[0] ?? [];
  if (entries.length === 1 && (name === "Ref" || name.startsWith("Fn::"))) return perform(name, argument, names);
  return Object.fromEntries(entries.map(([key, each]) => [key, resolveValue(each, names)]));
}

function perform(name: string, argument: unknown, names: LocalNames): unknown {
  switch (name) {
    case "Ref":
      return names.ref(String(argument));
    case "Fn::GetAtt": {
      const [id, attribute] = argument as [string, string];
      return names.attribute(id, attribute);
    }
    case "Fn::Join": {
      const [separator, parts] = argument as [string, unknown];
      return (resolveValue(parts, names) as unknown[]).join(separator);
    }
    case "Fn::Sub":
      return String(argument).replaceAll(/\$\{([^}]+)\}/g, (_, id: string) => names.ref(id));
    default:
      throw new Error(`The local machine cannot carry out ${name} in the template.`);
  }
}

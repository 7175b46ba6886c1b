/** The values of a resource's `Ref` and attributes on the local machine. */
export interface LocalNames {
  ref(logicalId: string): string;
  attribute(logicalId: string, name: string): string;
}

/** Evaluates CloudFormation's intrinsic functions in a template value. Throws on a function it does not know. */
export function resolveValue(value: unknown, names: LocalNames): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveValue(each, names)).filter((each) => each !== noValue);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && name !== undefined && (name === "Ref" || name.startsWith("Fn::"))) {
    return perform(name, argument, names);
  }
  const resolved = entries.map(([key, each]) => [key, resolveValue(each, names)] as const);
  return Object.fromEntries(resolved.filter(([, each]) => each !== noValue));
}

const noValue = Symbol("AWS::NoValue");

function perform(name: string, argument: unknown, names: LocalNames): unknown {
  const resolve = (value: unknown) => resolveValue(value, names);
  switch (name) {
    case "Ref":
      return argument === "AWS::NoValue" ? noValue : names.ref(String(argument));
    case "Fn::GetAtt": {
      const [id, attribute] = Array.isArray(argument) ? argument : splitOnce(String(argument), ".");
      return names.attribute(String(id), String(resolve(attribute)));
    }
    case "Fn::Join": {
      const [separator, parts] = argument as [string, unknown];
      return (resolve(parts) as unknown[]).join(separator);
    }
    case "Fn::Split": {
      const [separator, text] = argument as [string, unknown];
      return String(resolve(text)).split(separator);
    }
    case "Fn::Select": {
      const [index, list] = argument as [unknown, unknown];
      return (resolve(list) as unknown[])[Number(resolve(index))];
    }
    case "Fn::Sub":
      return substitute(argument, names);
    default:
      throw new Error(`The local machine cannot carry out ${name} in the template.`);
  }
}

function substitute(argument: unknown, names: LocalNames): string {
  const [text, given] = (Array.isArray(argument) ? argument : [argument, {}]) as [string, Record<string, unknown>];
  return text.replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
    if (literal) return `\${${name}}`;
    if (Object.hasOwn(given, name)) return String(resolveValue(given[name], names));
    if (!name.includes(".")) return names.ref(name);
    const [id, attribute] = splitOnce(name, ".");
    return names.attribute(id, attribute);
  });
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return [text.slice(0, index), text.slice(index + 1)];
}

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

/** The parts of a CloudFormation template that are read here. */
export type Template = {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, unknown>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
};

export interface WholeTemplate {
  /**
   * All resources as if they were in one template. Those of a nested stack have its logical id and a dot before their
   * own. Values passed between stacks by parameters and outputs are inlined.
   */
  readonly template: Template;
  /** Every template in CloudFormation's form, by file name; the first is the root. */
  readonly parts: Readonly<Record<string, Template>>;
}

const nestedStack = "AWS::CloudFormation::Stack";

/**
 * Reads a synthesised stack and its nested stacks from their folder, which must contain no other stack. Throws if a
 * template there is of none of them.
 */
export function readWholeTemplate(directory: string, rootFile: string): WholeTemplate {
  const read = (file: string) => JSON.parse(readFileSync(join(directory, file), "utf8")) as Template;
  const root = read(rootFile);
  const files = nestedStacksOf(root).map(([, resource]) => fileOf(resource));
  const parts = Object.fromEntries([rootFile, ...files].map((file) => [file, read(file)]));
  const unread = globSync("**/*.template.json", { cwd: directory }).filter((file) => !Object.hasOwn(parts, file));
  if (unread.length > 0) throw new Error(`No stack of ${rootFile} has the templates ${unread.join(", ")}`);
  return { template: joinTemplates(root, parts), parts };
}

function joinTemplates(root: Template, parts: WholeTemplate["parts"]): Template {
  const nested = new Map(nestedStacksOf(root).map(([id, resource]) => [id, partOf(id, resource, parts)] as const));
  const { atTop, within } = linksBetween(nested);
  const idsOf = (id: string) => {
    const part = nested.get(id);
    return part ? Object.keys(part.Resources).map((each) => inside(id, each)) : [id];
  };
  const top = Object.entries(root.Resources).filter(([id]) => !nested.has(id));
  const resources = [
    ...top.map(
      ([id, each]) => [id, { ...rewrite(each, atTop), DependsOn: dependenciesOf(each).flatMap(idsOf) }] as const,
    ),
    ...[...nested].flatMap(([stack, part]) =>
      Object.entries(part.Resources).map(([id, each]) => {
        const own = dependenciesOf(each).map((other) => inside(stack, other));
        const DependsOn = [...own, ...part.dependsOn.flatMap(idsOf)];
        return [inside(stack, id), { ...rewrite(each, within(stack, part)), DependsOn }] as const;
      }),
    ),
  ];
  return { ...root, Resources: Object.fromEntries(resources), Outputs: rewrite(root.Outputs ?? {}, atTop) };
}

function linksBetween(nested: ReadonlyMap<string, NestedPart>) {
  const within = (stack: string, { given, Resources }: NestedPart): Links => ({
    ref: (id) => {
      if (Object.hasOwn(given, id)) return rewrite(given[id], atTop);
      return { Ref: Object.hasOwn(Resources, id) ? inside(stack, id) : id };
    },
    attribute: (id, name) => ({ "Fn::GetAtt": [inside(stack, id), name] }),
  });
  const atTop: Links = {
    ref: (id) => ({ Ref: id }),
    attribute: (id, name) => {
      const part = nested.get(id);
      if (!part) return { "Fn::GetAtt": [id, name] };
      const output = part.Outputs?.[name.replace(/^Outputs\./, "")];
      if (!output) throw new Error(`The nested stack ${id} has no output ${name}`);
      return rewrite(output.Value, within(id, part));
    },
  };
  return { atTop, within };
}

type NestedPart = Template & {
  readonly given: Readonly<Record<string, unknown>>;
  readonly dependsOn: readonly string[];
};

function partOf(id: string, resource: TemplateResource, parts: WholeTemplate["parts"]): NestedPart {
  const part = parts[fileOf(resource)];
  if (!part || nestedStacksOf(part).length > 0) throw new Error(`${id} has no template, or nested stacks of its own`);
  const given = (resource.Properties?.Parameters ?? {}) as NestedPart["given"];
  return { ...part, given, dependsOn: dependenciesOf(resource) };
}

interface Links {
  readonly ref: (id: string) => unknown;
  readonly attribute: (id: string, name: string) => unknown;
}

function rewrite<T>(value: T, links: Links): T {
  return rewritten(value, links) as T;
}

function rewritten(value: unknown, links: Links): unknown {
  if (Array.isArray(value)) return value.map((each) => rewrite(each, links));
  if (typeof value !== "object" || value === null) return value;
  const { Ref, "Fn::GetAtt": attribute, "Fn::Sub": text } = value as Record<string, unknown>;
  if (typeof Ref === "string") return links.ref(Ref);
  if (Array.isArray(attribute)) return links.attribute(String(attribute[0]), String(attribute[1]));
  if (/\$\{(?!AWS::)/.test(JSON.stringify(text) ?? "")) throw new Error(`Not read in templates: Fn::Sub of ${text}`);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewrite(each, links)]));
}

function dependenciesOf({ DependsOn = [] }: TemplateResource): string[] {
  return [DependsOn].flat();
}

function nestedStacksOf({ Resources }: Template): [string, TemplateResource][] {
  return Object.entries(Resources).filter(([, { Type }]) => Type === nestedStack);
}

function fileOf({ Metadata }: TemplateResource): string {
  const file = Metadata?.["aws:asset:path"];
  if (typeof file !== "string") throw new Error("A nested stack does not name the file of its template");
  return file;
}

function inside(stack: string, id: string): string {
  return `${stack}.${id}`;
}

import { readFileSync } from "node:fs";
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

/** Reads a synthesised stack and its nested stacks from their folder. */
export function readWholeTemplate(directory: string, rootFile: string): WholeTemplate {
  const read = (file: string) => JSON.parse(readFileSync(join(directory, file), "utf8")) as Template;
  const root = read(rootFile);
  const files = nestedStacksOf(root).map(([, resource]) => fileOf(resource));
  const parts = Object.fromEntries([rootFile, ...files].map((file) => [file, read(file)]));
  return { template: joinTemplates(root, parts), parts };
}

function joinTemplates(root: Template, parts: WholeTemplate["parts"]): Template {
  const nested = new Map(nestedStacksOf(root).map(([id, resource]) => [id, partOf(id, resource, parts)] as const));
  const idsOf = (id: string) => {
    const part = nested.get(id);
    return part ? Object.keys(part.Resources).map((each) => inside(id, each)) : [id];
  };
  const top = Object.entries(root.Resources).filter(([id]) => !nested.has(id));
  const resources = [
    ...top.map(([id, each]) => {
      const DependsOn = dependenciesOf(each).flatMap(idsOf);
      return [id, { ...rewrite(each, nested), DependsOn }] as const;
    }),
    ...[...nested].flatMap(([stack, part]) =>
      Object.entries(part.Resources).map(([id, each]) => {
        const own = dependenciesOf(each).map((other) => inside(stack, other));
        const DependsOn = [...own, ...part.dependsOn.flatMap(idsOf)];
        return [inside(stack, id), { ...rewrite(each, nested, stack), DependsOn }] as const;
      }),
    ),
  ];
  return { ...root, Resources: Object.fromEntries(resources), Outputs: rewrite(root.Outputs ?? {}, nested) };
}

type NestedPart = Template & {
  readonly given: Readonly<Record<string, unknown>>;
  readonly dependsOn: readonly string[];
};

function partOf(id: string, resource: TemplateResource, parts: WholeTemplate["parts"]): NestedPart {
  const part = parts[fileOf(resource)];
  if (!part) throw new Error(`${id} has no template`);
  const given = (resource.Properties?.Parameters ?? {}) as NestedPart["given"];
  return { ...part, given, dependsOn: dependenciesOf(resource) };
}

/** Rewrites the references in a value of the root, or of the nested stack that is named. */
function rewrite<T>(value: T, nested: ReadonlyMap<string, NestedPart>, stack?: string): T {
  const rewritten = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(rewritten);
    if (typeof each !== "object" || each === null) return each;
    const { Ref, "Fn::GetAtt": attribute } = each as Record<string, unknown>;
    if (typeof Ref === "string") return rewriteRef(Ref, nested, stack);
    if (Array.isArray(attribute)) return rewriteAttribute(String(attribute[0]), String(attribute[1]), nested, stack);
    return Object.fromEntries(Object.entries(each).map(([key, member]) => [key, rewritten(member)]));
  };
  return rewritten(value) as T;
}

function rewriteRef(id: string, nested: ReadonlyMap<string, NestedPart>, stack = ""): unknown {
  const { given = {}, Resources = {} } = nested.get(stack) ?? {};
  if (Object.hasOwn(given, id)) return rewrite(given[id], nested);
  return { Ref: Object.hasOwn(Resources, id) ? inside(stack, id) : id };
}

function rewriteAttribute(id: string, name: string, nested: ReadonlyMap<string, NestedPart>, stack?: string): unknown {
  if (stack !== undefined) return { "Fn::GetAtt": [inside(stack, id), name] };
  const part = nested.get(id);
  if (!part) return { "Fn::GetAtt": [id, name] };
  const output = part.Outputs?.[name.replace(/^Outputs\./, "")];
  if (!output) throw new Error(`The nested stack ${id} has no output ${name}`);
  return rewrite(output.Value, nested, id);
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

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A resource of a CloudFormation template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

/** A CloudFormation template, as far as it is read here. */
export type Template = {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, unknown>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
};

/** A stack with its nested stacks. */
export interface WholeTemplate {
  /**
   * All resources as if one template had them. Those of a nested stack have its logical id and a dot before their own; what
   * passes between the stacks by parameters and outputs is written where it arrives.
   */
  readonly template: Template;
  /** Every template as CloudFormation takes it, by its file's name; the first is the root. */
  readonly parts: Readonly<Record<string, Template>>;
}

const nestedStack = "AWS::CloudFormation::Stack";

/**
 * Reads a synthesised stack and its nested stacks from the folder of its synthesis, which has no other. Throws when it could
 * not read every resource of every template there.
 */
export function readWholeTemplate(directory: string, rootFile: string): WholeTemplate {
  const read = (file: string) => JSON.parse(readFileSync(join(directory, file), "utf8")) as Template;
  const root = read(rootFile);
  const files = nestedStacksOf(root).map(([, resource]) => fileOf(resource));
  const parts = Object.fromEntries([rootFile, ...files].map((file) => [file, read(file)]));
  const unread = globSync("**/*.template.json", { cwd: directory }).filter((file) => !Object.hasOwn(parts, file));
  if (unread.length > 0) throw new Error(`No stack of ${rootFile} has the templates ${unread.join(", ")}`);
  const template = new TemplateJoin(root, parts).join();
  const [found, wanted] = [Object.keys(template.Resources).length, countResources(parts)];
  if (found !== wanted)
    throw new Error(`The templates of ${rootFile} have ${wanted} resources: only ${found} were read`);
  return { template, parts };
}

/** How many resources the templates have in all, the nested stacks themselves not counted. */
export function countResources(parts: WholeTemplate["parts"]): number {
  const resources = Object.values(parts).flatMap(({ Resources }) => Object.values(Resources));
  return resources.filter(({ Type }) => Type !== nestedStack).length;
}

/** Joins a root with its nested stacks: what a parameter or an output stands for is written in its place. */
class TemplateJoin {
  readonly #root: Template;
  readonly #nested: ReadonlyMap<string, NestedPart>;

  constructor(root: Template, parts: WholeTemplate["parts"]) {
    this.#root = root;
    this.#nested = new Map(nestedStacksOf(root).map(([id, resource]) => [id, partOf(id, resource, parts)] as const));
  }

  join(): Template {
    const own = Object.entries(this.#root.Resources).filter(([id]) => !this.#nested.has(id));
    const resources = [
      ...own.map(([id, each]) => [id, this.#atTop(each)] as const),
      ...[...this.#nested].flatMap(([stack, { Resources }]) =>
        Object.entries(Resources).map(([id, each]) => [inside(stack, id), this.#within(stack, each)] as const),
      ),
    ];
    const outputs = this.#rewriteTop(this.#root.Outputs ?? {}) as NonNullable<Template["Outputs"]>;
    return { ...this.#root, Resources: Object.fromEntries(resources), Outputs: outputs };
  }

  #atTop(resource: TemplateResource): TemplateResource {
    const rewritten = this.#rewriteTop(resource) as TemplateResource;
    return { ...rewritten, DependsOn: dependenciesOf(resource).flatMap((id) => this.#idsOf(id)) };
  }

  #within(stack: string, resource: TemplateResource): TemplateResource {
    const rewritten = this.#rewriteNested(stack, resource) as TemplateResource;
    const ofStack = this.#nested.get(stack)?.dependsOn ?? [];
    const own = dependenciesOf(resource).map((id) => inside(stack, id));
    return { ...rewritten, DependsOn: [...own, ...ofStack.flatMap((id) => this.#idsOf(id))] };
  }

  #rewriteTop(value: unknown): unknown {
    return rewrite(value, { ref: (id) => ({ Ref: id }), attribute: (id, name) => this.#attribute(id, name) });
  }

  #rewriteNested(stack: string, value: unknown): unknown {
    const { given = {}, Resources = {} } = this.#nested.get(stack) ?? {};
    return rewrite(value, {
      ref: (id) => {
        if (Object.hasOwn(given, id)) return this.#rewriteTop(given[id]);
        return { Ref: Object.hasOwn(Resources, id) ? inside(stack, id) : id };
      },
      attribute: (id, name) => ({ "Fn::GetAtt": [inside(stack, id), name] }),
    });
  }

  #attribute(id: string, name: string): unknown {
    const part = this.#nested.get(id);
    if (!part) return { "Fn::GetAtt": [id, name] };
    const output = part.Outputs?.[name.replace(/^Outputs\./, "")];
    if (!output) throw new Error(`The nested stack ${id} has no output ${name}`);
    return this.#rewriteNested(id, output.Value);
  }

  /** The resources that a dependency on this one is on. */
  #idsOf(id: string): string[] {
    const part = this.#nested.get(id);
    return part ? Object.keys(part.Resources).map((each) => inside(id, each)) : [id];
  }
}

type NestedPart = Template & {
  /** What the root gives for each parameter. */
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

function rewrite(value: unknown, links: Links): unknown {
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

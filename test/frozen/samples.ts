import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describeInterface } from "../../shared/openapi/document.ts";
import { byAge, kindNamesOf, kindOf } from "./kinds.ts";
import type { Left, MarshalledItem } from "./release.ts";
import { type Shape, shapesOf } from "./shapes.ts";

const digestsFile = "digests.json";
const interfaceFile = "openapi.json";

/** The frozen releases, oldest first. */
export function frozenReleases(): string[] {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort(byAge);
}

/** The shapes that the frozen releases before one have, or all of them. Throws where two have a kind's version in two shapes. */
export function frozenShapes(before?: string): Record<string, Shape> {
  const releases = frozenReleases().filter((each) => before === undefined || byAge(each, before) < 0);
  const shapes: Record<string, Shape> = {};
  for (const release of releases) {
    const own = shapesOf(readFrozen(release).items);
    requireSameShapes(own, shapes);
    Object.assign(shapes, own);
  }
  return shapes;
}

/** Whether a release is out: the version of `package.json` is it, or newer. */
export function isOut(release: string): boolean {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return byAge(release, version.split(".").slice(0, 2).join(".")) <= 0;
}

/** The OpenAPI document of a release that is out. */
export function readFrozenInterface(release: string): object {
  return readJson(release, interfaceFile);
}

/** Throws where a release is out, or has a shape that differs from what an older one froze under the same kind and version. */
export function requireFreezable(release: string, items: readonly MarshalledItem[]): void {
  if (isOut(release)) throw new Error(`Release ${release} is out`);
  requireSameShapes(shapesOf(items), frozenShapes(release));
}

function requireSameShapes(own: Record<string, Shape>, older: Record<string, Shape>): void {
  const changed = Object.keys(own).filter((kind) => older[kind] && !isDeepStrictEqual(own[kind], older[kind]));
  if (changed.length > 0) throw new Error(`Without a new version, the shape changed of ${changed.join(", ")}`);
}

/** What a release left behind, as it was frozen. */
export function readFrozen(release: string): Left {
  const items = kindNamesOf(release).flatMap((kind) => readJson<MarshalledItem[]>(release, `items/${kind}.json`));
  const names = readdirSync(pathOf(release, "messages"));
  const messages = names.map((name) => [name.replace(".json", ""), readJson(release, `messages/${name}`)]);
  return {
    items,
    messages: Object.fromEntries(messages),
    held: readJson(release, "held.json"),
    secrets: readJson(release, "secrets.json"),
  };
}

/**
 * Writes what a release left behind into the folder of its name, in place of what was there, with the digests of all files.
 * Throws as `requireFreezable` does.
 */
export function freeze(release: string, { items, messages, held, secrets }: Left): void {
  requireFreezable(release, items);
  rmSync(pathOf(release), { recursive: true, force: true });
  for (const kind of kindNamesOf(release)) {
    const samples = items.filter((item) => kindOf(item) === kind).map(inOrder);
    samples.sort((one, other) => nameOf(one).localeCompare(nameOf(other), "en"));
    writeJson(release, `items/${kind}.json`, samples);
  }
  for (const [queue, waiting] of Object.entries(messages)) writeJson(release, `messages/${queue}.json`, waiting);
  writeJson(release, "held.json", held);
  writeJson(release, "secrets.json", secrets);
  writeJson(release, interfaceFile, describeInterface());
  writeJson(release, digestsFile, digestsOf(release));
}

function nameOf({ pk, sk }: MarshalledItem): string {
  return `${pk?.S} ${sk?.S}`;
}

/** An item with its attributes by name, the key first. */
function inOrder({ pk, sk, ...attributes }: MarshalledItem): MarshalledItem {
  const sorted = Object.entries(attributes).sort(([one], [other]) => one.localeCompare(other, "en"));
  return { ...(pk && { pk }), ...(sk && { sk }), ...Object.fromEntries(sorted) };
}

/** The SHA-256 of each file of a frozen release, by its path. */
export function digestsOf(release: string): Record<string, string> {
  const files = readdirSync(pathOf(release), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => relative(pathOf(release), join(parentPath, name)));
  const digests = paths
    .filter((path) => path !== digestsFile)
    .sort()
    .map((path) => [
      path,
      createHash("sha256")
        .update(readFileSync(pathOf(release, path)))
        .digest("hex"),
    ]);
  return Object.fromEntries(digests);
}

/** The digests as they were committed. */
export function committedDigests(release: string): Record<string, string> {
  return readJson(release, digestsFile);
}

function pathOf(release: string, path = "."): string {
  return join(import.meta.dirname, release, path);
}

function writeJson(release: string, path: string, value: unknown): void {
  const file = pathOf(release, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, asBase64, 2)}\n`);
}

/** What a file holds, in the form that its caller knows it to have. */
function readJson<T>(release: string, path: string): T {
  return JSON.parse(readFileSync(pathOf(release, path), "utf8"), fromBase64);
}

/** Bytes, which DynamoDB JSON holds as base64. */
function asBase64(this: unknown, _name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}

function fromBase64(name: string, value: unknown): unknown {
  return name === "B" ? new Uint8Array(Buffer.from(String(value), "base64")) : value;
}

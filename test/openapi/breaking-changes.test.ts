import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { describeInterface } from "../../infra/document/document.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, looked into field by field
type Node = any;

/** A place of the documents; whether clients send what it describes or receive it; whether its keys are names. */
interface Place {
  readonly where: string;
  readonly direction: "sent" | "received";
  readonly hasNames: boolean;
}

/** The keys of the objects in these are names. */
const named = ["paths", "webhooks", "responses", "content", "headers", "parameters", "properties", "schemas"];
/** Keys that no client relies on. */
const ignored = /^(tags|examples?|description|summary|x-.*)$/;
/** The parts of a document that are compared. */
function comparedParts({ paths, webhooks, components }: Node): Node {
  const { schemas, parameters, responses, headers } = components;
  const partsOf = (node: Node, hasNames = false): Node => {
    if (Array.isArray(node)) return node.map((each) => partsOf(each));
    if (!isObject(node)) return node;
    const kept = Object.entries<Node>(node).filter(([key]) => hasNames || !ignored.test(key));
    return Object.fromEntries(kept.map(([key, each]) => [key, partsOf(each, !hasNames && named.includes(key))]));
  };
  return partsOf({ paths, webhooks, components: { schemas, parameters, responses, headers } });
}

/**
 * The places of the newer document that may not suit a client of the older one: something is missing or written otherwise, less
 * is taken than before, or more is answered. Names may be added; every other limit is among the places, also a wider one.
 */
function breakingChanges(older: Node, newer: Node): string[] {
  const compare = (one: Node, other: Node, place: Place): string[] => {
    const [before, after] = [resolve(older, one), resolve(newer, other)];
    if (!isObject(before) || !isObject(after)) return isDeepStrictEqual(before, after) ? [] : [place.where];
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => compareAt(key, before, after, place));
  };
  const compareAt = (key: string, before: Node, after: Node, { where, direction, hasNames }: Place): string[] => {
    const [one, other] = [before[key], after[key]];
    const place: Place = {
      where: `${where} ${key}`,
      direction: key === "responses" ? "received" : direction,
      hasNames: !hasNames && named.includes(key),
    };
    const says = (isSo: boolean) => (isSo ? [place.where] : []);
    if (!hasNames && key === "required" && Array.isArray(one ?? other)) {
      return says(!(direction === "sent" ? includes(one, other) : includes(other, one)));
    }
    if (!hasNames && key === "enum") {
      // Clients are to expect codes of refusals that they do not know.
      if (direction === "received" && where.endsWith(" code")) return [];
      return says(!one || !other || !(direction === "sent" ? includes(other, one) : includes(one, other)));
    }
    // A refusal that no longer happens breaks nobody.
    if (other === undefined) return says(!(where.endsWith(" responses") && !key.startsWith("2")));
    if (!hasNames && key === "parameters") return compare(byName(older, one), byName(newer, other), place);
    if (place.hasNames) return compare(one ?? {}, other, place);
    if (one !== undefined) return compare(one, other, place);
    return says(hasNames ? where.endsWith(" parameters") && other.required : key !== "requestBody" || other.required);
  };
  return [
    ...compareAt("paths", older, newer, { where: "", direction: "sent", hasNames: false }),
    ...compareAt("webhooks", older, newer, { where: "", direction: "received", hasNames: false }),
  ].map((where) => where.trim());
}

function includes(all: readonly unknown[] = [], some: readonly unknown[] = []): boolean {
  return some.every((each) => all.includes(each));
}

function byName(document: Node, parameters: Node[] = []): Node {
  return Object.fromEntries(parameters.map((each) => resolve(document, each)).map((each) => [each.name, each]));
}

/** A node with what its reference leads to. */
function resolve(document: Node, node: Node): Node {
  if (!node?.$ref) return node;
  const { $ref, ...own } = node;
  const parts: string[] = $ref.slice("#/".length).split("/");
  return { ...parts.reduce((at: Node, part) => at?.[part], document), ...own };
}

function isObject(node: Node): boolean {
  return typeof node === "object" && node !== null;
}

/** Breaking changes since the baseline that are made on purpose, each with its reason. */
const accepted: readonly (readonly [change: RegExp, reason: string])[] = [];

const file = new URL("baseline.json", import.meta.url);
const today = comparedParts(JSON.parse(JSON.stringify(describeInterface())));
if (process.env.PIN_BASELINE) writeFileSync(file, `${JSON.stringify(today, null, 1)}\n`);
const baseline = JSON.parse(readFileSync(file, "utf8"));
const found = breakingChanges(baseline, today);

test("a client of the baseline is served: the interface loses and narrows nothing", () => {
  const unexpected = found.filter((each) => !accepted.some(([change]) => change.test(each)));
  expect(unexpected, "infra/UPGRADE.md says what a release may change").toEqual([]);
});

test("no accepted change is left over", () => {
  const leftOver = accepted.filter(([change]) => !found.some((each) => change.test(each)));
  expect(leftOver).toEqual([]);
});

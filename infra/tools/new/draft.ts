import type { Method } from "../../../shared/contract/operation.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { operationAreas } from "../../functions/function-row.ts";
import { functions } from "../../functions/functions.ts";
import { UsageError, unknownWord } from "../cli/command.ts";

const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"] satisfies Method[];
const areas: readonly string[] = operationAreas;

/** An operation to add. */
export interface Draft {
  /** Kebab-case, such as `get-job`. */
  readonly name: string;
  readonly identifier: string;
  readonly title: string;
  readonly method: Method;
  readonly path: string;
  readonly area: string;
  readonly isNewArea: boolean;
  readonly parameters: readonly string[];
  /** The outer object of the body; undefined if there is none. */
  readonly object: string | undefined;
  /** The array in the answer of `GET` and a name such as `list-jobs`; undefined if it is no list. */
  readonly list: string | undefined;
}

/** Reads the request. Throws `UsageError` with one sentence if it cannot be added. */
export function readDraft(words: readonly string[], oldArea?: string, newArea?: string): Draft {
  const [name = "", method = "", path = "", ...others] = words;
  const area = oldArea ?? newArea;
  if (path === "" || area === undefined || (oldArea && newArea) || others.length > 0) {
    throw new UsageError("Say NAME METHOD PATH --area AREA (npm run new -- --help)");
  }
  requireMethod(method);
  if (newArea === undefined) requireArea(area);
  else requireFreeArea(area);
  requireFreeName(name);
  requireFreePath(method, path);
  const [first = "", ...rest] = name.split("-");
  return {
    name,
    identifier: [first, ...rest.map(capital)].join(""),
    title: capital(name.replaceAll("-", " ")),
    method: method as Method,
    path,
    area,
    isNewArea: newArea !== undefined,
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => parameter),
    object: /^P/.test(method) ? rest.at(-1) : undefined,
    list: method === "GET" && first === "list" ? rest.join("_") : undefined,
  };
}

function requireMethod(method: string): void {
  if (!methods.includes(method)) throw unknownWord("method", method, methods);
}

function requireArea(area: string): void {
  if (areas.includes(area)) return;
  const { message } = unknownWord("area", area, areas);
  throw new UsageError(`${message}\n--new-area ${area} makes it.`);
}

function requireFreeArea(area: string): void {
  const advice = "take one word in lower case, such as companies";
  refuseUnless(/^[a-z]{2,20}$/.test(area), `"${area}" is no name of an area: ${advice}.`);
  refuseUnless(area !== "workers" && !areas.includes(area), `There is an area ${area} already.`);
}

function requireFreeName(name: string): void {
  const advice = "take words in lower case with hyphens, such as get-job";
  refuseUnless(/^[a-z]+(-[a-z]+)+$/.test(name), `"${name}" is no name of an operation: ${advice}.`);
  refuseUnless(!Object.hasOwn(functions, name), `There is a function ${name} already.`);
}

function requireFreePath(method: string, path: string): void {
  const isPath = /^(?!.*(\{\w+\}).*\1)\/api\/v1(\/([a-z0-9_]+|\{[a-z_]+\}))+$/.test(path);
  const advice = "take one such as /api/v1/jobs/{id}, each {name} once";
  refuseUnless(isPath, `"${path}" is no path of an operation: ${advice}.`);
  const shape = shapeOf(path);
  const alike = operations.filter((each) => shapeOf(each.path) === shape);
  const taken = alike.find((each) => each.method === method);
  if (taken) throw new UsageError(`${method} ${taken.path} is ${taken.name} already.`);
  const spelling = alike.find((each) => each.path !== path);
  if (spelling) throw new UsageError(`Write the path as ${spelling.name} does: ${spelling.path}`);
}

function refuseUnless(isRight: boolean, refusal: string): void {
  if (!isRight) throw new UsageError(refusal);
}

function shapeOf(path: string): string {
  return path.replaceAll(/\{\w+\}/g, "{}");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

import { describeInterface } from "../../../../shared/openapi/document.ts";
import { tableOf } from "../marked-tables.ts";

const keywords = [
  ...["minLength", "maxLength", "pattern"],
  ...["minimum", "exclusiveMinimum", "maximum"],
  ...["minItems", "maxItems", "maxProperties"],
];
/** Their keys are names of fields, parameters or headers. */
const named = ["properties", "schemas", "parameters", "headers"];

/** A table of the limits of the contract's fields and parameters: a row for each limit, with the places that have it. */
export function contractLimits(): string {
  const { components, paths, webhooks } = describeInterface();
  const limits = limitsIn({ components, paths, webhooks }, "");
  const rows = keywords.flatMap((keyword) => {
    const placesOf = Map.groupBy(
      limits.filter((each) => each.keyword === keyword),
      ({ value }) => value,
    );
    return [...placesOf].map(([value, each]) => {
      const places = [...new Set(each.map(({ place }) => place))];
      return [keyword, `\`${value}\``.replaceAll("|", "\\|"), places.join(", ")];
    });
  });
  return tableOf(["", "limit", "places"], rows);
}

interface Limit {
  readonly keyword: string;
  readonly value: string | number;
  readonly place: string;
}

function limitsIn(node: object, place: string): Limit[] {
  const here = place + nameOf(node);
  return Object.entries(node).flatMap(([key, value]): Limit[] => {
    const isLimit = keywords.includes(key) && (typeof value === "string" || typeof value === "number");
    if (isLimit) return [{ keyword: key, value, place: here }];
    if (typeof value !== "object" || value === null || key.startsWith("example")) return [];
    if (!named.includes(key) || Array.isArray(value)) return limitsIn(value, here);
    return Object.entries(value).flatMap(([name, inner]) =>
      limitsIn(Object(inner), here === "" ? name : `${here}.${name}`),
    );
  });
}

/** The name in the document itself: of an operation, or of a parameter where it is used. */
function nameOf(node: object): string {
  if ("operationId" in node) return `${node.operationId}`;
  return "in" in node && "name" in node ? ` ${node.name}` : "";
}

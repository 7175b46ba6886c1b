import { answerHeaderTexts, type HeaderText, requestHeaderTexts } from "./texts/headers.ts";
import { pagingTexts } from "./texts/paging.ts";
import { exampleOf, sentenceOf } from "./with-texts.ts";

const pagingNames = { page: "Page", per_page: "PerPage", cursor: "Cursor" } as const;
const cursorSchema = { type: "string", maxLength: 200, pattern: "^[A-Za-z0-9_-]*$" };
const pagingSchemas = {
  page: { $ref: "#/components/schemas/Page" },
  per_page: { $ref: "#/components/schemas/PerPage" },
  cursor: cursorSchema,
};

/** The headers of answers, by name. */
export function headerComponents(): Record<string, object> {
  return Object.fromEntries(Object.entries(answerHeaderTexts).map(([name, header]) => [name, describeHeader(header)]));
}

/** The parameters that several operations share, by component name. */
export function parameterComponents(): Record<string, object> {
  const names = Object.keys(pagingNames) as (keyof typeof pagingNames)[];
  const paging = names.map((name) => {
    const [description, example] = [sentenceOf(pagingTexts[name]), exampleOf(pagingTexts[name])];
    return [
      pagingNames[name],
      { name, in: "query", required: false, description, schema: pagingSchemas[name], example },
    ] as const;
  });
  const inHeaders = Object.entries(requestHeaderTexts).map(
    ([key, { name, ...header }]) => [key, { name, in: "header", required: false, ...describeHeader(header) }] as const,
  );
  return Object.fromEntries([...paging, ...inHeaders]);
}

/** A reference to a paging parameter; undefined for any other parameter. */
export function pagingReference(name: string): object | undefined {
  return name in pagingNames ? parameterReference(pagingNames[name as keyof typeof pagingNames]) : undefined;
}

/** A reference to a parameter component. */
export function parameterReference(name: string): object {
  return { $ref: `#/components/parameters/${name}` };
}

function describeHeader({ text, example, schema }: HeaderText): object {
  return { description: text, schema, example };
}

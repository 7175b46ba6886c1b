import type { Draft } from "./draft.ts";

type Edit = readonly [file: string, edit: (source: string) => string];

/** The edits of the files that every operation stands in. */
export function operationEdits(draft: Draft): Edit[] {
  return [
    [`shared/contract/${draft.area}.ts`, (source) => withEntry(source, draft)],
    [`shared/contract/texts/${draft.area}.ts`, (source) => withText(source, draft)],
    ["infra/functions/functions.ts", (source) => withRow(source, draft)],
  ];
}

/** The edits of the files that name every area. */
export function areaEdits({ area }: Draft): Edit[] {
  const importArea = `import * as ${area} from "./${area}.ts";\n`;
  return [
    [
      "infra/functions/function-row.ts",
      (source) => withLine(source, /operationAreas = \[[\s\S]*?\n(?=\])/, `"${area}",`),
    ],
    [
      "shared/contract/operations.ts",
      (source) => importArea + withLine(source, /const areas = \{[\s\S]*?\n(?=\})/, `${area},`),
    ],
    [
      "shared/contract/texts/texts.ts",
      (source) => importArea + withLine(source, /const texts: .*= \[[\s\S]*?\n(?=\])/, `...Object.values(${area}),`),
    ],
    [
      "shared/contract/texts/interface.ts",
      (source) =>
        withLine(source, /tagTexts = \{[\s\S]*?\n(?=\})/, `${area}: "A draft of what the area ${area} is for.",`),
    ],
  ];
}

/** The files of an area's contract, as they are before its first operation. */
export function areaFiles({ area }: Draft): [file: string, text: string][] {
  return [
    [`shared/contract/${area}.ts`, 'import * as v from "valibot";\nimport { operation } from "./operation.ts";\n'],
    [`shared/contract/texts/${area}.ts`, 'import { describes } from "./text.ts";\n'],
  ];
}

function withEntry(source: string, { name, identifier, method, path, parameters, object, list }: Draft): string {
  const fields = parameters.map((each) => `${each}: recordId`).join(", ");
  const entry = `
/** ${method} ${path.replace("/api/v1/", "")}. */
export const ${identifier} = operation({
  name: "${name}",
  summary: "Draft of ${identifier}",
  method: "${method}",
  path: "${path}",
  access: ["admin"],
${method === "GET" ? "" : "  needsSession: true,\n"}  companyBound: true,
${parameters.length > 0 ? `  parameters: v.object({ ${fields} }),\n` : ""}${
  object ? `  body: { object: "${object}", fields: v.object({ id }) },\n` : ""
}${list ? "  query: v.object(paging),\n" : ""}  answer: v.object({}),
${list ? `  list: "${list}",\n` : ""}${parameters.length > 0 ? '  refusals: ["record_not_found"],\n' : ""}});
`;
  const withIds = object ? withImport(source, "id", "./values.ts") : source;
  const withPaging = list ? withImport(withIds, "paging", "./query.ts") : withIds;
  return (parameters.length > 0 ? withImport(withPaging, "recordId", "./query.ts") : withPaging) + entry;
}

/** Each draft has other words than all existing texts, so that the document's tests pass until they are written. */
function withText(source: string, { identifier, area, parameters, object, method, list }: Draft): string {
  const fields = parameters.map((each) => `${each}: ["The ${each} that ${identifier} takes.", 1]`).join(", ");
  const answered = list ? `${list}: ["The ${list} that ${identifier} finds."]` : "";
  const text = `
// A draft: write for whoever calls it. What it is for, what happens, and what to know before the first call; of each field what
// its name does not say, and an example. An object in the answer is \`nested("Its text.", { field: ["Text.", example] })\`.
export const ${identifier}Text = describes(${identifier}, {
  description: "What ${identifier} does.",
${parameters.length > 0 ? `  parameters: { ${fields} },\n` : ""}${
  object
    ? `  body: { text: "What ${identifier} is sent.", fields: { id: ["The ${object} that ${identifier} changes.", 1] } },\n`
    : ""
}${list ? "  query: {},\n" : ""}  answer: { text: "How ${identifier} ${method === "GET" ? "answers" : "succeeds"}.", fields: { ${answered} } },
});
`;
  return withImport(source, identifier, `../${area}.ts`) + text;
}

function withRow(source: string, { name, area }: Draft): string {
  const row = `"${name}": { area: "${area}", impact: "Nobody can use ${name}.", access: { admin: "all" } },`;
  return withLine(source, /const operationRows: [\s\S]*?\n(?=\};\n)/, row);
}

function withLine(source: string, place: RegExp, line: string): string {
  if (!place.test(source)) throw new Error(`No file of the checkout has the place ${place.source}.`);
  return source.replace(place, (found) => `${found}${line}\n`);
}

function withImport(source: string, name: string, from: string): string {
  const line = new RegExp(`import \\{([^}]*)\\} from "${from.replaceAll(".", "\\.")}";`);
  const [whole, names = ""] = line.exec(source) ?? [];
  if (whole === undefined) return `import { ${name} } from "${from}";\n${source}`;
  const isThere = names.split(",").some((each) => each.trim() === name);
  return isThere ? source : source.replace(whole, `import {${names.replace(/,\s*$/, "")}, ${name} } from "${from}";`);
}

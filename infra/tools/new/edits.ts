import type { Draft } from "./draft.ts";

/** A contract file with the operation's entry at its end. */
export function withEntry(source: string, draft: Draft): string {
  const { name, identifier, method, path, parameters, object } = draft;
  const fields = parameters.map((each) => `${each}: recordId`).join(", ");
  const entry = `
/** ${method} ${path.replace("/api/v1/", "")}. */
export const ${identifier} = operation({
  name: "${name}",
  summary: "Draft of ${identifier}",
  method: "${method}",
  path: "${path}",
  access: ["admin"],
  companyBound: true,
${parameters.length > 0 ? `  parameters: v.object({ ${fields} }),\n` : ""}${
  object ? `  body: { object: "${object}", fields: v.object({ id }) },\n` : ""
}  answer: v.object({}),
${parameters.length > 0 ? '  refusals: ["record_not_found"],\n' : ""}});
`;
  const withIds = object ? withImport(source, "id", "./values.ts") : source;
  return (parameters.length > 0 ? withImport(withIds, "recordId", "./query.ts") : withIds) + entry;
}

/**
 * A file of texts with the operation's drafts at its end. Each has other words than all existing texts, so that the
 * document's tests pass until they are written.
 */
export function withText(source: string, { identifier, area, parameters, object, method }: Draft): string {
  const fields = parameters.map((each) => `${each}: ["The ${each} that ${identifier} takes.", 1]`).join(", ");
  const text = `
// A draft: write for whoever calls it. What it is for, what happens, and what to know before the first call; of each field what
// its name does not say, and an example.
export const ${identifier}Text = describes(${identifier}, {
  description: "What ${identifier} does.",
${parameters.length > 0 ? `  parameters: { ${fields} },\n` : ""}${
  object
    ? `  body: { text: "What ${identifier} is sent.", fields: { id: ["The ${object} that ${identifier} changes.", 1] } },\n`
    : ""
}  answer: { text: "How ${identifier} ${method === "GET" ? "answers" : "succeeds"}.", fields: {} },
});
`;
  return withImport(source, identifier, `../${area}.ts`) + text;
}

/** The rows of functions with the operation's row at the end. */
export function withRow(source: string, { name, area }: Draft): string {
  const row = `  "${name}": {
    area: "${area}",
    impact: "Nobody can use ${name}.",
    access: { admin: "all" },
  },
`;
  const [, rows] = /(const operationRows: .*?\n)\};\n/s.exec(source) ?? [];
  if (rows === undefined) throw new Error("infra/functions/functions.ts has no operationRows to add a row to.");
  return source.replace(rows, () => rows + row);
}

function withImport(source: string, name: string, from: string): string {
  const line = new RegExp(`import \\{([^}]*)\\} from "${from.replaceAll(".", "\\.")}";`);
  const [whole, names = ""] = line.exec(source) ?? [];
  if (whole === undefined) return `import { ${name} } from "${from}";\n${source}`;
  const isThere = names.split(",").some((each) => each.trim() === name);
  return isThere ? source : source.replace(whole, `import {${names.replace(/,\s*$/, "")}, ${name} } from "${from}";`);
}

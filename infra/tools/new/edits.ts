import type { Draft } from "./draft.ts";

/** A contract file with the operation's entry at its end. */
export function withEntry(source: string, draft: Draft): string {
  const { name, identifier, title, method, path, parameters, object } = draft;
  const fields = parameters.map((each) => `${each}: recordId`).join(", ");
  const entry = `
/** ${method} ${path.replace("/api/v1/", "")}. */
export const ${identifier} = operation({
  name: "${name}",
  summary: "${title}",
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

/** The rows of functions with the operation's at the end of the operations'. */
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

/** The texts between a page's markers, by marker name. */
export type MarkedTables = Readonly<Record<string, string>>;

/** Replaces the texts between markers of a page, such as `<!-- docs:NAME -->` and `<!-- /docs:NAME -->`. */
export function fillTables(page: string, tables: MarkedTables): string {
  return Object.entries(tables).reduce((filled, [name, text]) => {
    const [opening, closing] = [`<!-- docs:${name} -->`, `<!-- /docs:${name} -->`];
    const place = new RegExp(`(?<=${opening})[^]*?(?=${closing})`);
    if (!place.test(filled)) throw new Error(`A page lacks the markers ${opening} and ${closing}.`);
    return filled.replace(place, () => `\n\n${text}\n\n`);
  }, page);
}

/** A Markdown table. `columns` are its headings; a column of figures ends in `:`. */
export function tableOf(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const head = columns.map((column) => column.replace(/:$/, ""));
  const rule = columns.map((column) => (column.endsWith(":") ? "---:" : "---"));
  return [lineOf(head), `|${rule.join("|")}|`, ...rows.map(lineOf)].join("\n");
}

function lineOf(cells: readonly (string | number)[]): string {
  return `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`;
}

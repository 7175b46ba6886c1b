/** Text between a page's markers, by the name of the markers. */
export type MarkedTables = Readonly<Record<string, string>>;

/** A page with these texts between its markers, such as `<!-- docs:NAME -->` and `<!-- /docs:NAME -->`. */
export function fillTables(page: string, tables: MarkedTables): string {
  return Object.entries(tables).reduce((filled, [name, text]) => {
    const { start, end } = placeOf(filled, name);
    return `${filled.slice(0, start)}\n\n${text}\n\n${filled.slice(end)}`;
  }, page);
}

/** The names of those tables that a page does not hold as they are now. */
export function staleTables(page: string, tables: MarkedTables): string[] {
  return Object.keys(tables).filter((name) => {
    const { start, end } = placeOf(page, name);
    return page.slice(start, end).trim() !== tables[name];
  });
}

/** A Markdown table. `columns` are the words of its head; a column of figures ends in `:`. */
export function tableOf(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const head = columns.map((column) => column.replace(/:$/, ""));
  const rule = columns.map((column) => (column.endsWith(":") ? "---:" : "---"));
  return [lineOf(head), `|${rule.join("|")}|`, ...rows.map(lineOf)].join("\n");
}

function lineOf(cells: readonly (string | number)[]): string {
  return `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`;
}

function placeOf(page: string, name: string): { start: number; end: number } {
  const [opening, closing] = [`<!-- docs:${name} -->`, `<!-- /docs:${name} -->`];
  const [start, end] = [page.indexOf(opening) + opening.length, page.indexOf(closing)];
  if (start < opening.length || end < start) throw new Error(`A page lacks the markers ${opening} and ${closing}.`);
  return { start, end };
}

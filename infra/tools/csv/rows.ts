/** A row by RFC 4180. A cell that a spreadsheet might split at another separator is quoted, too. */
export function rowOf(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}

/**
 * The cells of a row by RFC 4180; undefined if a quoted cell goes on in the next line. As in a spreadsheet, a quotation
 * mark within an unquoted cell is a letter, and text after a quoted cell belongs to it.
 */
export function cellsOf(row: string, separator: string): string[] | undefined {
  const other = `[^${separator}]`;
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"(?!")(${other}*)|((?!")${other}*))(${separator}|$)`, "yu");
  const cells: string[] = [];
  for (;;) {
    const found = cell.exec(row);
    if (!found) return undefined;
    const [, quoted = "", after = "", plain = "", end] = found;
    cells.push(quoted.replaceAll('""', '"') + after + plain);
    if (end === "") return cells;
  }
}

/**
 * A place at which a spreadsheet may begin a cell, whichever separator it splits by, and a formula that follows: perhaps
 * after quotes and spaces, or after apostrophes of the text's own.
 */
const place = String.raw`(?<=^|[,;\t\r\n])`;
const formula = String.raw`(?='*["\x20]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])`;
const open = new RegExp(place + formula, "gu");
const guard = new RegExp(`${place}'${formula}`, "gu");

/** A text in which an apostrophe stands before everything that a spreadsheet would run as a formula. */
export function guarded(text: string): string {
  return text.replaceAll(open, "'");
}

/** The text from which `guarded` made another: it removes these apostrophes, and no others. */
export function unguarded(text: string): string {
  return text.replaceAll(guard, "");
}

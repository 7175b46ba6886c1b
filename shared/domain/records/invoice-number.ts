import { typedText } from "../../contract/values.ts";

/** An invoice that changes its number removes as many entries as it adds, and all must fit into one transaction. */
const mostStarts = 45;
/** The leading zeros of a part are counted in one digit of base 36. */
const mostZeros = 35;
/** A key of the table has at most 1,024 bytes. NFKC writes some letters as eighteen. */
const mostLetters = 200;

/** Letters, or digits without their leading zeros, and the number of these. */
interface NumberPart {
  readonly text: string;
  readonly zeros: number;
}

/** A search by number, as it is compared with the starts of numbers. */
export interface NumberSearch {
  /** The beginning of a start. Empty of a search for zeros alone, which no index finds. */
  readonly text: string;
  /** The place of its last part, and the leading zeros that this part has. */
  readonly last: number;
  readonly zeros: number;
}

/**
 * The texts that a number is found by: for each of its first 45 parts all parts from there on, each with a hyphen behind
 * it, then `#` and how many leading zeros each has, up to the last one that has any. `INV-0042-A` has `inv-42-a-#02`,
 * `42-a-#2` and `a-#`. Parts are runs of letters or of digits as `typedText` writes them; case, leading zeros and other
 * characters are left out (D22).
 */
export function searchableStarts(number: string): string[] {
  const parts = numberPartsOf(readable(number));
  return parts.slice(0, mostStarts).map((_, at) => {
    const rest = parts.slice(at);
    const zeros = rest.map((part) => part.zeros.toString(36)).join("");
    return `${textOf(rest)}#${zeros.replace(/0+$/, "")}`;
  });
}

/**
 * Reads what a user searches for; undefined if it has neither letters nor digits. If another character than a blank
 * follows its last part, that part is complete.
 */
export function parseSearch(search: string): NumberSearch | undefined {
  const typed = readable(search);
  const parts = numberPartsOf(typed);
  const last = parts.at(-1);
  if (!last) return undefined;
  const text = textOf(parts);
  const isComplete = /[^\p{L}\p{M}\p{N}]$/u.test(typed);
  const place = { last: parts.length - 1 };
  return isComplete ? { ...place, text, zeros: 0 } : { ...place, text: text.slice(0, -1), zeros: last.zeros };
}

/**
 * True if a start begins with a search. Leading zeros do not count, except those that the last part of the search has:
 * the number has as many there, or the same part without them.
 */
export function isStartOf(start: string, { text, last, zeros }: NumberSearch): boolean {
  const [parts = "", ofParts = ""] = start.split("#");
  if (!parts.startsWith(text)) return false;
  return zeros === 0 || parts.startsWith(`${text}-`) || Number.parseInt(ofParts[last] ?? "0", 36) >= zeros;
}

/** True if a search finds a number. */
export function isFoundBy(number: string, search: NumberSearch): boolean {
  return searchableStarts(number).some((start) => isStartOf(start, search));
}

/** A number as it is compared. Symbols, with their marks, are separators: NFKC makes letters of some, as of the sign in `№ 55`. */
function readable(number: string): string {
  return typedText(number.replaceAll(/\p{S}\p{M}*/gu, "-")).slice(0, mostLetters);
}

function numberPartsOf(text: string): NumberPart[] {
  return [...text.matchAll(/[\p{L}\p{M}]+|\p{N}+/gu)].map(([part]) => {
    const whole = part.toLowerCase();
    const rest = whole.replace(/^0+/, "");
    return { text: rest, zeros: Math.min(whole.length - rest.length, mostZeros) };
  });
}

function textOf(parts: readonly NumberPart[]): string {
  return parts.map(({ text }) => `${text}-`).join("");
}

/** Most matches that a search by number may have (D22). */
export const maxNumberMatches = 2_000;
/** An invoice that changes its number removes as many entries as it adds, and all must fit into one transaction. */
const mostStarts = 45;

/**
 * The texts that a search may begin with: the rest of the number from the start of each of its parts, lower case, at
 * most 45. Parts are split at non-alphanumerics; a numeric part is found with and without its leading zeros (D22).
 */
export function searchableStarts(number: string): string[] {
  const lower = number.toLowerCase();
  const starts = new Set<string>([lower]);
  for (const match of lower.matchAll(/[\p{L}\p{N}]+/gu)) {
    const rest = lower.slice(match.index);
    starts.add(rest);
    const zeros = /^0+(?=[0-9])/.exec(match[0]);
    if (zeros && /^[0-9]+$/.test(match[0])) starts.add(rest.slice(zeros[0].length));
  }
  return [...starts].slice(0, mostStarts);
}

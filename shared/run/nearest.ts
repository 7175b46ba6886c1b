/** Characters of a name that are compared: a stranger may send one of any length, and each takes a row of steps. */
const longestName = 40;

/** The known name with the fewest edits; undefined if no name is known, or if more than half of it would change. */
export function likelyNameOf(name: string, known: readonly string[]): string | undefined {
  const edits = known.map((each) => editsBetween(name, each));
  const fewest = Math.min(...edits);
  const nearest = known[edits.indexOf(fewest)];
  return nearest !== undefined && fewest <= nearest.length / 2 ? nearest : undefined;
}

/** Levenshtein's distance, of names in whatever case. */
function editsBetween(name: string, known: string): number {
  const [one, other] = [name.slice(0, longestName).toLowerCase(), known.toLowerCase()];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [place, wanted] of [...other].entries()) {
      const replaced = (row[place] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

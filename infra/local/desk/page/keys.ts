/** Keys for lists: j and k move between rows, / goes to the search, c copies the open request. Returns what ends them. */
export function followKeys(): () => void {
  const follow = (event: KeyboardEvent) => {
    const isTyping = (event.target as Element).matches("input, textarea, select");
    if (event.ctrlKey || event.metaKey || event.altKey || (isTyping && event.key !== "Escape")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  addEventListener("keydown", follow);
  return () => removeEventListener("keydown", follow);
}

const keys: Readonly<Record<string, () => void>> = {
  j: () => move(1),
  k: () => move(-1),
  "/": () => document.querySelector<HTMLElement>('input[type="search"]')?.focus(),
  c: () => document.querySelector<HTMLElement>("[data-key=c]")?.click(),
  Escape: () => (document.activeElement as HTMLElement | null)?.blur(),
};

/** Moves the focus by a row, from the focused or else the open one. */
function move(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("a.row")];
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const from = focused >= 0 ? focused : rows.findIndex((row) => row.ariaCurrent === "true");
  rows[Math.min(rows.length - 1, Math.max(0, from + by))]?.focus();
}

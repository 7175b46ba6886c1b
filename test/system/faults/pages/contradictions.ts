import type { FoundPage, PageStart } from "../../../../shared/domain/paging/paging.ts";

/** The contradictions of a page: its total, its rows and its link to more rows must be of one list. */
export function contradictionsOf(
  { items, total, hasMore }: Pick<FoundPage<unknown>, "items" | "total" | "hasMore">,
  { limit, skip, beforeId }: PageStart,
): string[] {
  const found: string[] = [];
  const about = `${items.length} of ${limit} rows after ${skip}, total ${total}, ${hasMore ? "more" : "no more"}`;
  const check = (isWrong: boolean, text: string) => void (isWrong && found.push(`${text}: ${about}`));
  const shown = skip + items.length;
  check(hasMore && items.length < limit, "a page that is not full, with rows behind it");
  check(items.length > 0 && total < shown + (hasMore ? 1 : 0), "a total below what is shown");
  if (beforeId !== undefined) return found;
  check(items.length === 0 && total > skip, "an empty page, with rows behind it");
  check(items.length > 0 && !hasMore && total > shown, "the last page, and a total above it");
  return found;
}

import type { TestAnswer } from "./call.ts";

type Query = Readonly<Record<string, string | undefined>>;

/** The query of the next page, as the header Link names it; undefined of the last page. */
export function nextQuery({ headers }: Pick<TestAnswer, "headers">): Record<string, string> | undefined {
  const url = /<([^>]+)>; rel="next"/.exec(headers.link ?? "")?.[1];
  return url === undefined ? undefined : Object.fromEntries(new URL(url).searchParams);
}

/** Every page of a list, from the one that is asked for to the last, by their links. */
export async function walkPages(list: (query: Query) => Promise<TestAnswer>, first: Query = {}): Promise<TestAnswer[]> {
  const pages: TestAnswer[] = [];
  for (let query: Query | undefined = first; query; ) {
    const page = await list(query);
    pages.push(page);
    query = nextQuery(page);
  }
  return pages;
}

/** The ids of an answer's records, in their order. */
export function idsIn({ body }: Pick<TestAnswer, "body">): number[] {
  const [records = []] = Object.values<{ id: number }[]>(body);
  return records.map(({ id }) => id);
}

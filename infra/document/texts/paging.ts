import type { paging } from "../../../shared/contract/query.ts";
import type { FieldTexts } from "./text.ts";

/** The parameters that every list takes. */
export const pagingTexts: FieldTexts<typeof paging> = {
  page: [
    "Number of the page, from 1. Handy for page links, and limited: beyond the first 1,000 items use `cursor`. A page past the end is empty.",
    1,
  ],
  per_page: ["Size of a page, 20 unless given. Above 100 you get 100.", 20],
  cursor: [
    'Continues a list behind its last item, at any depth. Take it from `rel="next"` of the `Link` header as it is: it holds for the same filters only.',
  ],
};

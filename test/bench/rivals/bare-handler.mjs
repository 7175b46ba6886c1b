// A handler that only fetches and answers: with a canned table, what any code of one's own comes on top of.
import { pageOf } from "./job.mjs";

export async function handler({ queryStringParameters }) {
  const { body, total } = await pageOf(queryStringParameters.by_state);
  return { statusCode: 200, headers: { "content-type": "application/json; charset=utf-8", total }, body };
}

import { answerPage } from "../../shared/docs/answer-page.ts";
import { forFiles } from "../../shared/http/endpoint.ts";

/** Answers the documentation page and the files that it consists of. */
export const handler = forFiles("get-docs", answerPage);

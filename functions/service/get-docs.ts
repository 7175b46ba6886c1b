import { answerPage } from "../../shared/docs/answer-page.ts";
import { forFiles } from "../../shared/http/endpoint.ts";

/** Answers the documentation page and its files. */
export const handler = forFiles("get-docs", answerPage);

import { forFiles } from "../../shared/http/endpoint.ts";
import { answerPage } from "./docs-page.ts";

/** Answers the documentation page and its files. */
export const handler = forFiles("get-docs", answerPage);

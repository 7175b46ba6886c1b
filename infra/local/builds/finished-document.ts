import { describeInterface } from "../../document/document.ts";

/** The document that the bundler inserts into what is deployed: a build of the local machine makes it of the sources as they are. */
export const OPENAPI_DOCUMENT = JSON.stringify(describeInterface());

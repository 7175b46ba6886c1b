import { describeInterface } from "../../infra/document/document.ts";

let text: string | undefined;

/** The OpenAPI document that the bundler inserts, for handlers that tests call unbundled. */
Object.defineProperty(globalThis, "OPENAPI_DOCUMENT", {
  configurable: true,
  get: () => {
    text ??= JSON.stringify(describeInterface());
    return text;
  },
});

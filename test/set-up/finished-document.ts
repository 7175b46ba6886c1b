import { OPENAPI_DOCUMENT } from "../../infra/local/builds/finished-document.ts";

/** The OpenAPI document that the bundler inserts, for handlers that tests call unbundled. */
Object.assign(globalThis, { OPENAPI_DOCUMENT });

import type { Answer } from "../../shared/contract/operation.ts";
import { cacheHeaders, getOpenapi } from "../../shared/contract/service.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { compressed } from "./compression.ts";

/** The finished document as JSON text, so that the modules which make it stay outside the bundle. */
declare const OPENAPI_DOCUMENT: string;

/** Describes the interface as an OpenAPI document (D37). */
export const handler = compressed(
  anonymous(getOpenapi, async () => JSON.parse(OPENAPI_DOCUMENT) as Answer<typeof getOpenapi>, {
    headers: () => cacheHeaders,
  }),
);

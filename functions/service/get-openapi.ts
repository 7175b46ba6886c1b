import { cacheHeaders, getOpenapi } from "../../shared/contract/service.ts";
import { compressed } from "../../shared/http/compression.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { openApiDocument } from "../../shared/openapi/document.ts";

/** Describes the interface as an OpenAPI document (D37). */
export const handler = compressed(
  anonymous(getOpenapi, async () => openApiDocument(), { headers: () => cacheHeaders }),
);

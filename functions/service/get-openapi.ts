import { getOpenapi } from "../../shared/contract/service.ts";
import { forAnyone } from "../../shared/http/endpoint.ts";
import { openApiDocument } from "../../shared/openapi/document.ts";

/** Describes the interface as an OpenAPI document (D37). */
export const handler = forAnyone(getOpenapi, async () => openApiDocument());

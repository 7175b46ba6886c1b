import { getHealth } from "../../shared/contract/service.ts";
import { anonymous } from "../../shared/http/endpoint.ts";

/** Says that the service answers. */
export const handler = anonymous(getHealth, async () => ({ status: "ok" as const }));

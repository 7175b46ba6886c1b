import { getHealth } from "../../shared/contract/service.ts";
import { forAnyone } from "../../shared/http/endpoint.ts";

/** Says that the service answers. */
export const handler = forAnyone(getHealth, async () => ({ status: "ok" as const }));

import { functions } from "../../../infra/functions/functions.ts";
import { type ServiceTable, service } from "../../../infra/functions/service-table.ts";
import { registerUser } from "../../../shared/contract/accounts.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { getHealth } from "../../../shared/contract/service.ts";

/** The operation that the next deploy adds: a route of accounts without a token, which therefore has a throttle. It runs get-health. */
export const added: Operation = { ...getHealth, name: "get-made-up", path: "/api/v1/made_up" };

/** The operation that the next deploy removes: a route with a throttle as well. */
export const removed: Operation = registerUser;

const { [removed.name]: _, ...keptFunctions } = service.functions;

/** The service of the next deploy: one operation more, and one less. */
export const nextService: ServiceTable = {
  operations: [...service.operations.filter(({ name }) => name !== removed.name), added],
  functions: { ...keptFunctions, [added.name]: { ...functions["get-health"], area: "accounts" } },
};

import * as v from "valibot";
import { operation } from "./operation.ts";

/** GET health: answers while the service can run at all; touches nothing else. */
export const getHealth = operation({
  name: "get-health",
  summary: "Says that the service answers",
  method: "GET",
  path: "/api/v1/health",
  access: "anyone",
  answer: v.object({ status: v.literal("ok") }),
});

import * as v from "valibot";
import { operation } from "../../shared/contract/operation.ts";

/** An operation that the service does not have: its handler fails as a test configures it. */
export const sample = operation({
  name: "sample",
  summary: "Fails as configured",
  method: "GET",
  path: "/sample",
  access: "anyone",
  answer: v.object({ shown: v.string() }),
});

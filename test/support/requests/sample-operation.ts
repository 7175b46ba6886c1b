import * as v from "valibot";
import { operation } from "../../../shared/contract/operation.ts";

/** An operation that the service does not have: its handler fails as a test tells it. */
export const sample = operation({
  name: "sample",
  summary: "Fails as it is told",
  method: "GET",
  path: "/sample",
  access: "anyone",
  answer: v.object({ shown: v.string() }),
});

import * as v from "valibot";
import { operation } from "./operation.ts";
import { paging } from "./query.ts";
import { id, oneLine } from "./values.ts";

/** A company as the interface shows it. */
export const company = v.object({ id, name: oneLine(200) });

/** GET companies: those whose ids `by_company` takes, the highest id first (D37). */
export const listCompanies = operation({
  name: "list-companies",
  summary: "Lists companies, the highest id first",
  method: "GET",
  path: "/api/v1/companies",
  access: ["admin"],
  keys: "read",
  companyBound: true,
  query: v.object(paging),
  answer: company,
  list: "companies",
});

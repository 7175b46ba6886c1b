import { listCompanies } from "../../shared/contract/companies.ts";
import { readPage } from "../../shared/contract/paging.ts";
import { findCompanies } from "../../shared/db/records/companies.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Lists all companies for admins, the highest id first (D30, D37). */
export const handler = authenticated(listCompanies, ({ query }) => readPage(listCompanies, query, findCompanies));

import { listCompanies } from "../../shared/contract/companies.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findCompanies } from "../../shared/records/companies.ts";
import { readPage } from "../../shared/run/paging.ts";

/** Lists all companies for admins, the highest id first (D30, D37). */
export const handler = authenticated(listCompanies, ({ query }) => readPage(listCompanies, query, findCompanies));

import { company, listCompanies } from "../companies.ts";
import { describes, shapes } from "./text.ts";

export const companyText = shapes(company, "An employer or customer, which invoices, timesheets and jobs belong to.", {
  id: ["The value for `by_company`.", 1],
  name: ["The present name; records keep the name that they were made with.", "Harbour Logistics Ltd"],
});

export const listCompaniesText = describes(listCompanies, {
  description: `For admins, whose lists show all companies until one is chosen. Operators and clients find their own one in
\`GET /api/v1/users/me\`. A company that was imported a moment ago may be missing.`,
  query: {},
  answer: { text: "A page of companies.", fields: { companies: ["Those with the highest ids come first."] } },
});

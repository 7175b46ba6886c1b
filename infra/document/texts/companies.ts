import { company, listCompanies } from "../../../shared/contract/companies.ts";
import { describes, shapes } from "./text.ts";

export const companyText = shapes(company, "A company, to which invoices, timesheets and jobs belong.", {
  id: ["Id of the company.", 1],
  name: ["Name of the company. Records keep the name that they were made with.", "Harbour Logistics Ltd"],
});

export const listCompaniesText = describes(listCompanies, {
  description: `For admins, whose lists show all companies until one is chosen. Operators and clients find their own one in
\`GET /api/v1/users/me\`. A company that was imported a moment ago may be missing.`,
  query: {},
  answer: {
    text: "A page of companies.",
    fields: { companies: ["Companies, highest id first; empty past the last page."] },
  },
});

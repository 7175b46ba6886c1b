/** A person as the driver of a timesheet. */
export const xenia = {
  id: 7,
  financial_company_id: 1,
  first_name: "Xenia",
  last_name: "Quill",
  profile_id: 700,
  referral_code: "XENIA7",
};

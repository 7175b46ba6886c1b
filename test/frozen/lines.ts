// Import lines of release 0.1. Later ones may add fields; these stay importable as they are (D38).

/** Passwords and passcode of the imported users. */
export const secretsOfUsers = { password: "seven quiet harbours", passcode: "4711" };

const user = {
  type: "user",
  contact_phone_number: null,
  email: null,
  financial_company_id: 1,
  first_name: "Ines",
  job_position: null,
  last_name: "Marsh",
  phone_number: null,
  profile_id: null,
};

/** Users: one of each role, with and without password, passcode, company, phone and profile. */
export const users = [
  { ...user, id: 1, role: "admin", email: "admin@example.com", financial_company_id: null, company: null },
  { ...user, id: 2, role: "operator", email: "operator@example.com", ...secretsOfUsers },
  { ...user, id: 3, role: "driver", phone_number: "+447400123456", profile_id: 70, job_position: "Driver" },
  { ...user, id: 4, role: "client", email: "client@example.com", password: secretsOfUsers.password, version: 7 },
  { ...user, id: 5, role: "operator", email: "second@example.com", contact_phone_number: "020 7946 0000" },
];

const driver = {
  id: 3,
  financial_company_id: 1,
  first_name: "Ada",
  last_name: "Holt",
  profile_id: 70,
  referral_code: "ADA7",
};
const pause = {
  id: 1,
  start_at: "2026-05-04T09:00:00.000Z",
  end_at: "2026-05-04T09:15:00.000Z",
  duration: { hours: 0, minutes: 15 },
};
const timelog = {
  id: 1,
  amend_status: "approved",
  breaks: [pause],
  duration: { hours: 8 },
  start_at: "2026-05-04T06:00:00.000Z",
  end_at: "2026-05-04T14:00:00.000Z",
};
const timesheet = {
  type: "timesheet",
  company_id: 1,
  company_name: "Harbour Logistics",
  currency: "GBP",
  date: "2026-05-04",
  driver,
  job_title: "Night driver",
  state: "pending",
  timelog,
  total: "120.00",
};
const invoice = {
  type: "invoice",
  company_id: 1,
  company_name: "Harbour Logistics",
  created_at: "2026-05-01T09:00:00.000Z",
  currency: "GBP",
  due_date: "2026-07-01",
  from: "2026-04-01",
  to: "2026-04-30",
  issued_date: "2026-05-01",
  state: "pending",
  total: "1250.00",
  vat_percentage: "20.0",
};
const numbered = (id: number) => ({
  id,
  number: `INV-2026-0000${id}`,
  uuid: `00000000-0000-4000-8000-00000000000${id}`,
});
const job = {
  type: "job",
  company_id: 1,
  industries: ["logistics"],
  job_type: "part_time",
  number: 4001,
  postcode: "M1 2AB",
  published_at: "2026-05-01T09:00:00.000Z",
  title: "Forklift driver",
};
const notification = {
  type: "notification",
  user_id: 2,
  created_at: "2026-05-01T09:00:00.000Z",
  params: { type: "published" },
  read_at: null,
  record_id: 1,
  record_type: "Job",
};

/** Records: two companies, every state of timesheets and invoices (3 falls overdue), jobs, read and unread notifications. */
export const records = [
  { type: "company", id: 1, name: "Harbour Logistics" },
  { type: "company", id: 2, name: "Tidewater Freight", version: 3 },
  { ...timesheet, id: 1 },
  { ...timesheet, id: 2, date: "2026-05-20", state: "paid", version: 1 },
  { ...timesheet, id: 3, timelog: { ...timelog, id: 3, breaks: [] } },
  { ...timesheet, id: 4, version: 1 },
  { ...invoice, ...numbered(1) },
  { ...invoice, ...numbered(2), state: "paid" },
  { ...invoice, ...numbered(3), due_date: "2026-05-15" },
  { ...invoice, ...numbered(4), company_id: 2, version: 2 },
  { ...job, id: 1 },
  { ...job, id: 2, version: 1 },
  { ...notification, id: 1 },
  { ...notification, id: 2, read_at: "2026-05-02T09:00:00.000Z", record_type: "Timesheet", version: 1 },
  { ...notification, id: 3, record_type: "Chat", params: { type: "message", chat_id: 9 } },
];

/** Removals that are remembered: each had a version. */
export const removals = [
  { type: "timesheet", id: 4, version: 2, deleted: true },
  { type: "invoice", id: 4, version: 3, deleted: true },
];

/** What EventBridge hands over of other systems: a record, a removal and a notification. */
export const busEvents = [
  { "detail-type": "Record", detail: { event_id: "job-9-1", ...job, id: 9, version: 1, published_at: undefined } },
  { "detail-type": "Record", detail: { event_id: "job-9-2", type: "job", id: 9, version: 2, deleted: true } },
  {
    "detail-type": "Notification",
    detail: {
      event_id: "chat-1",
      recipients: [2, 3],
      actor_id: 3,
      record_type: "Chat",
      record_id: 11,
      params: { type: "message" },
    },
  },
].map((event, at) => ({
  version: "0",
  id: `6a7e8feb-b491-4cf7-a9f1-bf370346771${at}`,
  source: "rota.example",
  account: "123456789012",
  time: "2026-06-01T08:30:00Z",
  region: "eu-west-2",
  resources: [],
  ...(JSON.parse(JSON.stringify(event)) as typeof event),
}));

/** The first id: ids of the same length at every size, so that rows are of the same size too. */
export const firstId = 1_000_000;

/** A company with three of ten invoices, one with one of seventy, and one with thirty a year in a table of any size. */
export const companies = { large: 1, usual: 2, sparse: 999 } as const;

const sparseCount = 30;
const days = 364;

/** The relation of ids to dates. */
export type Order = "by date" | "shuffled" | "back-dated";

/** The import lines of so many invoices over twelve months, in the order of their ids. */
export function* invoiceLines(count: number, order: Order): Generator<object> {
  const every = Math.floor(count / sparseCount);
  for (let at = 0; at < count; at += 1) {
    const isSparse = at % every === 7 && at < every * sparseCount;
    const companyId = isSparse ? companies.sparse : at % 10 < 3 ? companies.large : 2 + (at % 49);
    const isLast = at === count - 1;
    const day = order === "shuffled" ? scatter(at) % (days + 1) : Math.floor((at * days) / count);
    yield line(firstId + at, companyId, stateOf(at), order === "back-dated" && isLast ? 20 : day);
  }
}

/** First and last day of the twelve months. */
export const year = { fromDate: dateOf(0), toDate: dateOf(days) };

/** The last month of the year. */
export const month = { fromDate: dateOf(days - 30), toDate: dateOf(days) };

/** A month in the middle of the year, and two days early in it. */
export const earlierMonth = { fromDate: "2025-06-01", toDate: "2025-06-30" };
export const earlyDays = { fromDate: "2025-06-02", toDate: "2025-06-03" };

/** The number of the invoice at a position. */
export function numberOf(id: number): string {
  return `INV-2025-${id}`;
}

function line(id: number, companyId: number, state: string, day: number): object {
  return {
    type: "invoice",
    id,
    company_id: companyId,
    company_name: "Harbour Logistics",
    created_at: `${dateOf(day)}T09:00:00.000Z`,
    currency: "GBP",
    due_date: dateOf(day + 30),
    from: dateOf(day - 30),
    to: dateOf(day - 1),
    issued_date: dateOf(day),
    number: numberOf(id),
    state,
    total: "1250.00",
    uuid: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
    vat_percentage: "20.0",
  };
}

/** Six of ten are paid, two overdue, two pending. */
function stateOf(at: number): string {
  const share = scatter(at + 17) % 10;
  if (share < 6) return "paid";
  return share < 8 ? "overdue" : "pending";
}

function dateOf(day: number): string {
  return new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10);
}

/** A number that looks random and is the same in every run. */
function scatter(at: number): number {
  let mixed = Math.imul(at + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

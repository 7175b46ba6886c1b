import type { Role } from "../../../shared/contract/operation.ts";
import { timeOrderedId } from "../../../shared/run/time-ordered-id.ts";
import { addDays, atMinute, chanceOf } from "./demo-chance.ts";
import { type DemoUser, demoCompanies, demoPeople } from "./demo-people.ts";

const titles = [
  "Multi-drop van driver",
  "Forklift operator",
  "Warehouse picker",
  "HGV Class 1 driver",
  "Loader",
] as const;
const postcodes = ["M17 1AB", "LS10 1JR", "E16 2EZ", "PE1 5YW", "S9 1XH", "B24 9QR"] as const;
const industries = ["logistics", "warehousing", "food", "retail", "construction"] as const;

/** 60 jobs published over the last two months, oldest first. */
export function demoJobs(today: string): object[] {
  const chance = chanceOf(60);
  return Array.from({ length: 60 }, (_, at) => {
    const id = at + 1;
    const company = demoCompanies[at % demoCompanies.length] ?? demoCompanies[0];
    const main = chance.pick(industries);
    return {
      type: "job",
      id,
      company_id: company.id,
      industries: [...new Set(chance.percent(40) ? [main, chance.pick(industries)] : [main])],
      job_type: chance.pick(["part_time", "temporary_contract"]),
      number: 4000 + id,
      postcode: chance.pick(postcodes),
      published_at: atMinute(addDays(today, id - 61), chance.between(8 * 60, 18 * 60)),
      title: chance.pick(titles),
    };
  });
}

/** The demo records that notifications lead to, by `record_type`. */
type Records = Readonly<Record<"Timesheet" | "Invoice" | "Job", readonly object[]>>;

/** 120 notifications of the last month, oldest first: what happened to records that their users can open, and messages. */
export function demoNotifications(today: string, records: Records): object[] {
  const chance = chanceOf(120);
  const happenings = happeningsOf(today, records);
  const given = new Set<string>();
  const notifications = Array.from({ length: 120 }, (_, at) => {
    const user = demoPeople[chance.percent(70) ? chance.between(0, 4) : chance.between(5, 39)] ?? demoPeople[0];
    const nameFor = ({ record_type, record_id, params }: Happening) =>
      JSON.stringify([user?.id, record_type, record_id, params.type]);
    const [first, ...others] = happenings.filter((each) => isFor(user, each) && !given.has(nameFor(each)));
    const day = addDays(today, -1 - Math.floor((119 - at) / 4));
    const message = { created_at: atMinute(day, chance.between(8 * 60, 18 * 60)), ...chatOf(chance.between(1, 60)) };
    const happening = first && chance.percent(85) ? chance.pick([first, ...others]) : undefined;
    if (happening) given.add(nameFor(happening));
    const { created_at, record_type, record_id, params } = happening ?? message;
    const isRead = chance.percent(created_at < addDays(today, -10) ? 85 : 25);
    const read_at = isRead ? atMinute(created_at, chance.between(1, 45)) : null;
    return { user_id: user?.id, created_at, params, read_at, record_id, record_type };
  });
  const inOrder = notifications.sort((one, other) => one.created_at.localeCompare(other.created_at));
  return inOrder.map((each, at) => ({
    type: "notification",
    id: timeOrderedId(new Date(each.created_at), at),
    ...each,
  }));
}

function chatOf(record_id: number) {
  return { record_type: "Chat", record_id, params: { type: "message" } };
}

/** The oldest two of every user, with ids 1 and 2, read. Sample events name them. */
export function demoFirstNotifications(today: string): object[] {
  return demoPeople.flatMap(({ id: user_id }) =>
    [1, 2].map((id) => ({
      type: "notification",
      id,
      user_id,
      created_at: atMinute(addDays(today, -31), id * 60),
      params: { type: "message" },
      read_at: atMinute(addDays(today, -31), id * 60 + 10),
      record_id: id,
      record_type: "Chat",
    })),
  );
}

/** Something that happened to a record, and the roles that are notified of it. */
interface Happening {
  readonly created_at: string;
  readonly record_type: keyof Records;
  readonly record_id: number;
  readonly params: { readonly type: string };
  readonly roles: readonly Role[];
  readonly record: DemoRecord;
}

interface DemoRecord {
  readonly id: number;
  readonly company_id: number;
  readonly state: string;
  readonly created_at: string;
  readonly date: string;
  readonly issued_date: string;
  readonly due_date: string;
  readonly published_at: string;
  readonly number: string | number;
  readonly title: string;
  readonly driver?: { readonly profile_id?: number | null };
}

/** Everything that happened to the records in the month before today, as their states and dates say. */
function happeningsOf(today: string, records: Records): Happening[] {
  const all = Object.entries(records).flatMap(([key, list]) => {
    const record_type = key as keyof Records;
    return (list as readonly DemoRecord[]).flatMap((record) =>
      eventsOf[record_type](record).map(([type, created_at, roles = office]) => {
        const { id: record_id, title, number, date } = record;
        const params = { type, ...(record_type === "Job" ? { title } : { number, date }) };
        return { created_at, record_type, record_id, params, roles, record };
      }),
    );
  });
  return all.filter(({ created_at }) => created_at >= addDays(today, -30) && created_at < today);
}

type Event = [type: string, createdAt: string, roles?: readonly Role[]];

const office: readonly Role[] = ["admin", "operator"];
const officeAndClients: readonly Role[] = [...office, "client"];

/** Kinds and times of what happened to a record. Paid ones were paid some days later. */
const eventsOf: Readonly<Record<keyof Records, (record: DemoRecord) => Event[]>> = {
  Job: ({ published_at }) => [["published", published_at]],
  Timesheet: ({ id, date, state }) => [
    ["submitted", atMinute(addDays(date, 1), 8 * 60 + id)],
    [state, atMinute(addDays(date, state === "paid" ? 3 + (id % 9) : 1), 12 * 60 + id), ["driver"]],
  ],
  Invoice({ id, created_at, issued_date, due_date, state }) {
    const issued: Event = ["issued", created_at, officeAndClients];
    const paid: Event = ["paid", atMinute(addDays(issued_date, 3 + (id % 25)), 9 * 60 + id), officeAndClients];
    const overdue: Event = ["overdue", atMinute(addDays(due_date, 1), 0), officeAndClients];
    return [issued, ...(state === "paid" ? [paid] : []), ...(state === "overdue" ? [overdue] : [])];
  },
};

function isFor(user: DemoUser | undefined, { roles, record }: Happening): boolean {
  if (!user || !roles.includes(user.role)) return false;
  if (user.role === "driver") return record.driver?.profile_id === user.profile_id;
  return user.role === "admin" || record.company_id === user.financial_company_id;
}

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

/** 120 notifications of the last month, oldest first, of records that their users can open. */
export function demoNotifications(today: string, records: Records): object[] {
  const chance = chanceOf(120);
  return Array.from({ length: 120 }, (_, at) => {
    const days = Math.floor((119 - at) / 4);
    const created = atMinute(addDays(today, -1 - days), (at % 4) * 300 + chance.between(60, 290));
    const user = demoPeople[chance.percent(70) ? chance.between(0, 4) : chance.between(5, 39)] ?? demoPeople[0];
    const [record_type, type] = chance.pick(subjectsOf(user));
    const isRead = chance.percent(days > 10 ? 85 : 25);
    const read_at = isRead ? atMinute(created, chance.between(1, 45)) : null;
    const open = record_type === "Chat" ? [] : records[record_type].filter((each) => isOpenTo(user, each as Demo));
    const place = chance.between(1, 60);
    const { id: record_id = place, ...names } = namesOf(open[place % open.length]);
    return {
      type: "notification",
      id: timeOrderedId(new Date(created), at),
      user_id: user?.id,
      created_at: created,
      params: { type, ...names },
      read_at,
      record_id,
      record_type,
    };
  });
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

type Subject = readonly [recordType: keyof Records | "Chat", type: string];

interface Demo {
  readonly id: number;
  readonly company_id: number;
  readonly driver?: { readonly profile_id?: number | null };
  readonly title?: string;
  readonly number?: string | number;
  readonly date?: string;
}

function isOpenTo(user: DemoUser | undefined, { company_id, driver }: Demo): boolean {
  if (user?.role === "driver") return driver?.profile_id === user.profile_id;
  return user?.role === "admin" || company_id === user?.financial_company_id;
}

function namesOf(record: object | undefined) {
  const { id, title, number, date } = (record ?? {}) as Partial<Demo>;
  return { id, ...(title !== undefined ? { title } : { number, date }) };
}

function subjectsOf(user: DemoUser | undefined): readonly [Subject, ...Subject[]] {
  const chat: Subject = ["Chat", "message"];
  const invoices: readonly Subject[] = [
    ["Invoice", "issued"],
    ["Invoice", "overdue"],
    ["Invoice", "paid"],
  ];
  if (user?.role === "client") return [chat, ...invoices];
  if (user?.role === "driver") return [chat, ["Timesheet", "paid"], ["Timesheet", "pending"]];
  return [["Job", "published"], ["Timesheet", "submitted"], chat, ...invoices];
}

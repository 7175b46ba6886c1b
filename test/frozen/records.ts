import { hash } from "node:crypto";
import { changeOf, queueEvent, requireStatus } from "./events.ts";
import { busEvents, secretsOfUsers } from "./lines.ts";
import type {
  Actor,
  Answered,
  FrozenCursor,
  Held,
  KeyedRequest,
  Left,
  MarshalledItem,
  Release,
  Sent,
} from "./release.ts";

const admin: Actor = { id: 1, role: "admin", company_id: null };
const operator: Actor = { id: 2, role: "operator", company_id: 1 };
const { passcode } = secretsOfUsers;

/** Timers, states, passcodes, events of other systems, and requests with an Idempotency-Key. */
export async function changeRecords(release: Release): Promise<Pick<Held, "repeated" | "abandonedRun" | "inPieces">> {
  // Side by side, the removal of a record may come before the record.
  for (const event of busEvents) await release.work("intake", queueEvent([event]));
  await release.work("mark-overdue");
  requireStatus(await release.call("adjust-job-timers", timerOf([2], 86_400)), 200);
  requireStatus(await release.call("bulk-update-timesheets", payment(operator, [1], passcode)), 200);
  requireStatus(await release.call("bulk-update-timesheets", payment(operator, [1], "1234")), 403);
  const sent = { ...payment(admin, [1, 2]), headers: { "idempotency-key": "payment-1" } };
  const answer = await release.call("bulk-update-timesheets", sent);
  requireStatus(answer, 200);
  const named = (key: string): KeyedRequest => ({ userId: 1, operation: "bulk-update-timesheets", key });
  const inPieces = { request: named("payment-3"), answer: hardToCompress(60) };
  await release.keepInPieces(inPieces.request, inPieces.answer);
  return {
    repeated: { operation: "bulk-update-timesheets", sent, answer: answer.body },
    abandonedRun: { request: named("payment-2"), token: await release.abandonRun(named("payment-2")) },
    inPieces,
  };
}

/** Text of so many lines that no compression makes much smaller, always the same. */
function hardToCompress(lines: number): string {
  return Array.from({ length: lines }, (_, at) => hash("sha256", String(at))).join("\n");
}

function timerOf(job_ids: readonly number[], timer: number): Sent {
  return { as: admin, body: { job: { job_ids, timer } } };
}

function payment(as: Actor, timesheet_ids: readonly number[], passcode?: string): Sent {
  return { as, body: { timesheet: { timesheet_ids, state: "paid", passcode } } };
}

const crowdSize = 1_001;

/** Has everyone direct of new and changed records, and pushed to; leaves a message of each kind in its queue. */
export async function notifyPeople(
  release: Release,
  crowd: boolean,
): Promise<Pick<Left["messages"], "notifications" | "pushes" | "quarantine" | "notices">> {
  const stored = await release.readItems();
  const changes = ["JOB#2", "TIMESHEET#1", "INVOICE#3"].flatMap((pk) => stored.filter((item) => item.pk?.S === pk));
  await release.work("notify", {
    Records: [...changes.flatMap(createdOrChanged), ...passwordChange(stored), malformed],
  });
  const direct = await release.takeMessages("notifications");
  await release.work("deliver-notifications", queueEvent(direct));
  const pages = await release.takeMessages("notifications");
  await release.work("deliver-notifications", queueEvent(pages));
  const further = crowd ? await notifyCrowd(release) : [];
  const pushes = await pushAll(release);
  const quarantine = await release.takeMessages("quarantine");
  const notices = await release.takeMessages("notices");
  await release.work("notify-password-changed", queueEvent([{ userId: 4, changedAt: "2026-05-30T08:00:00.000Z" }]));
  return { notifications: [...direct, ...pages, ...further], pushes, quarantine, notices };
}

const malformed = changeOf({ pk: "JOB#8", sk: "JOB" }, { NewImage: { id: { N: "8" } } });

/** A record's change as the stream delivers it: jobs and invoices as new, timesheets as paid by now. */
function createdOrChanged(item: MarshalledItem): object[] {
  const sk = item.sk?.S ?? "";
  if (!["JOB", "TIMESHEET", "INVOICE"].includes(sk)) return [];
  const before = sk === "TIMESHEET" ? { OldImage: withState(item, "pending") } : {};
  return [changeOf({ pk: item.pk?.S ?? "", sk }, { ...before, NewImage: item })];
}

function withState(item: MarshalledItem, state: string): MarshalledItem {
  return { ...item, record: { M: { ...item.record?.M, state: { S: state } } } };
}

function passwordChange(stored: readonly MarshalledItem[]): object[] {
  const users = stored.filter(({ pk, sk }) => pk?.S === "USER#4" && sk?.S === "USER");
  return users.map((NewImage) => {
    const { password_changed_at: _, ...before } = NewImage;
    const OldImage = { ...before, password_hash: { S: "before" } };
    return changeOf({ pk: "USER#4", sk: "USER" }, { OldImage, NewImage });
  });
}

/** A company with more users than one page of them; gives the messages that it takes to notify them of a job. */
async function notifyCrowd(release: Release): Promise<unknown[]> {
  const user = { type: "user", first_name: "Jo", last_name: "Reed", role: "operator", financial_company_id: 3 };
  for (let at = 0; at < crowdSize; at += 1) {
    await release.importLine({ ...user, id: 10_000 + at, email: `jo-${at}@example.com` });
  }
  const image = { id: { N: "7" }, company_id: { N: "3" } };
  await release.work("notify", { Records: [changeOf({ pk: "JOB#7", sk: "JOB" }, { NewImage: image })] });
  await release.work("deliver-notifications", queueEvent(await release.takeMessages("notifications")));
  const messages = (await release.takeMessages("notifications")) as { recipients: object }[];
  return messages.filter(({ recipients }) => "after" in recipients);
}

/** True for what is stored for the users of that company. */
export function isOfCrowd({ pk }: MarshalledItem): boolean {
  return /^(USER#1\d{4}|LOGIN#jo-.*)$/.test(pk?.S ?? "");
}

/** Pushes a notification of the operator, leaves another to a worker that died, and a third in the queue. */
async function pushAll(release: Release): Promise<unknown[]> {
  const notifications = (await release.readItems()).filter(
    ({ pk, sk, push }) => pk?.S === "USER#2" && sk?.S?.startsWith("NOTIFICATION#") && push?.BOOL,
  );
  const keyOf = ({ pk, sk }: MarshalledItem) => ({ pk: pk?.S ?? "", sk: sk?.S ?? "" });
  await release.work("notify", { Records: notifications.map((item) => changeOf(keyOf(item), { NewImage: item })) });
  const [first, second, ...others] = (await release.takeMessages("pushes")) as Record<string, number>[];
  await release.work("send-pushes", queueEvent([first]));
  await release.abandonPush(2, second?.notificationId ?? 0);
  return others;
}

const pages: readonly (Sent & { readonly operation: string })[] = [
  { operation: "list-invoices", as: admin, query: {} },
  { operation: "list-invoices", as: operator, query: { by_state: "pending,overdue,paid" } },
  { operation: "list-invoices", as: operator, query: { from_date: "2026-04-01", to_date: "2026-06-30T10:00:00Z" } },
  { operation: "list-invoices", as: operator, query: { by_number: "inv-2026" } },
  {
    operation: "list-invoices",
    as: admin,
    query: { by_company: "1", by_state: "paid,overdue", from_date: "2026-01-01" },
  },
  { operation: "list-timesheets", as: operator, query: {} },
  { operation: "list-timesheets", as: admin, query: { by_company: "1", to_date: "2026-12-31", by_state: "paid" } },
  { operation: "list-jobs", as: operator, query: {} },
  { operation: "list-notifications", as: operator, query: {} },
];

/** The first page of each list, with its cursor, and what follows it. */
export async function pageThrough(release: Release): Promise<FrozenCursor[]> {
  const cursors: FrozenCursor[] = [];
  for (const { operation, as, query } of pages) {
    const sent = { ...(as && { as }), query: { ...query, per_page: "1" } };
    const cursor = cursorIn(await release.call(operation, sent));
    const answer = await release.call(operation, { ...sent, query: { ...sent.query, cursor } });
    requireStatus(answer, 200);
    cursors.push({ operation, ...sent, cursor, ids: idsIn(answer) });
  }
  return cursors;
}

/** The ids of a list's page. */
export function idsIn({ body }: Answered): number[] {
  const [items = []] = Object.values(body as Record<string, { id: number }[]>);
  return items.map(({ id }) => id);
}

function cursorIn(answer: Answered): string {
  requireStatus(answer, 200);
  const cursor = /[?&]cursor=([\w-]+)/.exec(answer.headers.link ?? "")?.[1];
  if (!cursor) throw new Error("The page leads to no other");
  return cursor;
}

import type { OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import { findStoredUser } from "../../../shared/people/users.ts";
import { demoPassword, demoPeople } from "../demo/demo-people.ts";
import { resetLimits } from "../reset-limits.ts";
import { findItems, redrive, viewData, viewRecordChanges } from "./data.ts";
import { viewInbox } from "./inbox-views.ts";
import type { DeskSources } from "./sources.ts";
import { requestRows, storyOf } from "./story.ts";
import type { OutboundView, PeopleView, StartView } from "./views.ts";

export type DeskChange = Readonly<Partial<Record<"user" | "queue" | "function", unknown>>>;

const tokenSeconds = 24 * 60 * 60;

/** More would help nobody: the page has a search. */
const mostPeople = 100;

const viewMessages = ({ inbox, index }: DeskSources) => viewInbox(inbox.entries(), index);

type Read = (sources: DeskSources, given: (name: string) => string) => unknown;
const reads: Readonly<Record<string, Read>> = {
  start: viewStart,
  changes: (_, given) => viewRecordChanges(given("kind"), Number(given("id"))),
  outbound: viewOutbound,
  data: (sources) => viewData(sources, sources.index),
  items: ({ index }, given) => findItems(index, given("kind"), given("words")),
  inbox: viewMessages,
  requests: requestRows,
  story: (sources, given) => storyOf(given("id"), { ...sources, messages: viewMessages(sources) }),
  people: ({ index }, given): PeopleView => ({
    people: index.people(given("words"), mostPeople),
    total: index.counts().user ?? 0,
  }),
};

/** The demo users who sign in, each with a path to try, for the page and for the documentation's. */
function viewStart({ stack, token }: DeskSources): StartView & { deskToken: string } {
  const signingIn = demoPeople.filter(({ password }) => password !== undefined);
  const callers = signingIn.map(({ id, role, first_name, last_name }) => {
    const path = role === "driver" ? "/api/v1/users/me" : "/api/v1/finance/invoices?by_state=pending&per_page=1";
    return { id, name: `${first_name} ${last_name}`, role, path };
  });
  const docs = stack.routes.some(({ routeKey }) => routeKey === "ANY /docs") ? "/docs" : null;
  return { deskToken: token, callers, docs, demoPassword };
}

/** Answers a read by its path below `/_local/desk/`; undefined for an unknown path. */
export async function readDesk(what: string, query: URLSearchParams, sources: DeskSources): Promise<unknown> {
  return Object.hasOwn(reads, what) ? reads[what]?.(sources, (name) => query.get(name) ?? "") : undefined;
}

/** Carries out a change by its path below `/_local/desk/`; undefined for an unknown one. Throws a readable sentence. */
export async function changeDesk(path: string, change: DeskChange, sources: DeskSources): Promise<unknown> {
  if (path === "token") return { token: await mintToken(Number(change.user), sources) };
  if (path === "limits") return { done: `${await resetLimits()} counts forgotten` };
  if (path === "redrive") return { done: `${await redrive(String(change.queue), sources)} sent again` };
  if (path !== "run") return undefined;
  const schedule = sources.stack.schedules.find(({ functionName }) => functionName === change.function);
  if (!schedule) throw new Error(`No schedule calls ${change.function}.`);
  await sources.run(schedule.functionName);
  return { done: "It ran" };
}

async function mintToken(userId: number, { mintAccessToken }: DeskSources): Promise<string> {
  const user = await findStoredUser(userId);
  if (!user) throw new Error(`No user has the id ${userId}.`);
  return mintAccessToken({ id: user.id, role: user.role, company_id: user.company_id }, tokenSeconds);
}

/** The newest events on the outbound bus, newest first. */
export function viewOutbound({ buses, environment }: Pick<DeskSources, "buses" | "environment">): OutboundView[] {
  return buses.past(environment.OUTBOUND_BUS_NAME ?? "").map((event) => ({
    key: event.id,
    event: event.detail as OutboundEvent,
  }));
}

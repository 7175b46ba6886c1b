import { findStoredUser } from "../../../shared/people/users.ts";
import { demoPassword, demoPeople } from "../demo/demo-people.ts";
import { viewEvents, viewInbox } from "./inbox-views.ts";
import type { DeskSources } from "./sources.ts";
import { requestRows, storyOf } from "./story.ts";
import type { InboxView, PeopleView, StartView } from "./views.ts";

export type DeskChange = Readonly<Partial<Record<"user" | "function", unknown>>>;

const tokenSeconds = 24 * 60 * 60;

/** More would help nobody: the page has a search. */
const mostPeople = 100;

const viewMessages = ({ inbox, index }: DeskSources) => viewInbox(inbox.entries(), index);

type Read = (sources: DeskSources, given: (name: string) => string) => unknown;
const reads: Readonly<Record<string, Read>> = {
  start: viewStart,
  inbox: viewInboxAndEvents,
  requests: requestRows,
  story: (sources, given) => storyOf(given("id"), { ...sources, messages: viewMessages(sources) }),
  people: ({ index }, given): PeopleView => ({
    people: index.people(given("words"), mostPeople),
    total: index.countPeople(),
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
  if (path !== "run") return undefined;
  const schedule = sources.stack.schedules.find(({ functionName }) => functionName === change.function);
  if (!schedule) throw new Error(`No schedule calls ${change.function}.`);
  await sources.run(schedule.functionName);
  return { done: schedule.functionName };
}

async function mintToken(userId: number, { mintAccessToken }: DeskSources): Promise<string> {
  const user = await findStoredUser(userId);
  if (!user) throw new Error(`No user has the id ${userId}.`);
  return mintAccessToken({ id: user.id, role: user.role, company_id: user.company_id }, tokenSeconds);
}

/** The events on the outbound bus, newest first. */
export function outboundEvents({ buses, environment }: Pick<DeskSources, "buses" | "environment">) {
  return buses.past(environment.OUTBOUND_BUS_NAME ?? "");
}

function viewInboxAndEvents(sources: DeskSources): InboxView[] {
  const all = [...viewMessages(sources), ...viewEvents(outboundEvents(sources))];
  return all.sort((one, other) => other.at - one.at);
}

import type { OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import { findStoredUser } from "../../../shared/db/accounts/users.ts";
import { demoPassword } from "../demo/demo-people.ts";
import { resetLimits } from "../reset-limits.ts";
import { findItems, redrive, viewConsumers, viewData, viewQueues, viewRecordChanges } from "./data.ts";
import { viewInbox } from "./inbox-views.ts";
import type { DeskSources } from "./sources.ts";
import { requestRows, storyOf } from "./story.ts";
import type { HomeView, OutboundView } from "./views.ts";

export type DeskChange = Readonly<Partial<Record<"user" | "queue" | "function" | "url", unknown>>>;

const tokenSeconds = 24 * 60 * 60;

/** More would help nobody: the page has a search. */
const mostPeople = 100;

/** As many as fit on one screen. */
const mostNews = 5;

/** They change sessions alone: no story that somebody looks for. */
const signsIn: readonly string[] = ["sign-in", "refresh-token", "sign-out"];

/** Answers a read by its path below `/_local/desk/`; undefined for an unknown path. */
export async function readDesk(path: string, query: URLSearchParams, sources: DeskSources): Promise<unknown> {
  const { history, inbox, index, stack } = sources;
  const [what = "", id = ""] = path.split("/");
  const given = (name: string) => query.get(name) ?? "";
  if (what === "changes") return viewRecordChanges(given("kind"), Number(query.get("id")));
  if (what === "outbound") return viewOutbound(sources);
  if (what === "webhook") return sources.webhook.view();
  if (what === "data") return viewData(sources, index);
  if (what === "items") return findItems(index, { kind: given("kind"), words: given("words") });
  if (what === "requests" && id === "") return requestRows({ history, index });
  const docs = stack.routes.some(({ routeKey }) => /^(GET|ANY) \/docs$/.test(routeKey)) ? "/docs" : null;
  const about = { docs, demoPassword };
  if (what === "people") {
    return { people: index.people(given("words"), mostPeople), total: index.counts().user ?? 0, ...about };
  }
  const messages = viewInbox(inbox.entries(), index);
  if (what === "inbox") return messages;
  if (what === "requests") return storyOf(id, { history, index, messages });
  if (what !== "home") return undefined;
  const rows = requestRows({ history, index });
  const latest = rows.find(
    ({ method, functionName, status }) =>
      !["GET", "HEAD", "schedule"].includes(method) && !signsIn.includes(functionName) && status < 400,
  );
  return {
    story: (latest && storyOf(latest.id, { history, index, messages })) ?? null,
    failed: rows.filter(({ status }) => status >= 500).slice(0, mostNews),
    queues: (await viewQueues(sources)).flatMap(({ name, keepsFailed, waiting: failed }) =>
      keepsFailed && failed > 0 ? { name, failed } : [],
    ),
    consumers: viewConsumers(sources),
    messages: messages.slice(0, mostNews),
    operator: index.firstOf("operator") ?? null,
    ...about,
  } satisfies HomeView;
}

/** Carries out a change by its path below `/_local/desk/`; undefined for an unknown one. Throws a readable sentence. */
export async function changeDesk(path: string, change: DeskChange, sources: DeskSources): Promise<unknown> {
  if (path === "token") return { token: await mintToken(Number(change.user), sources) };
  if (path === "limits") return { count: await resetLimits() };
  if (path === "redrive") return { count: await redrive(String(change.queue), sources) };
  if (path === "webhook") {
    sources.webhook.point(String(change.url ?? ""), sources.buses, sources.environment.OUTBOUND_BUS_NAME);
    return {};
  }
  if (path !== "run") return undefined;
  const schedule = sources.stack.schedules.find(({ functionName }) => functionName === change.function);
  if (!schedule) throw new Error(`No schedule calls ${change.function}.`);
  await sources.run(schedule.functionName);
  return {};
}

async function mintToken(userId: number, { mintAccessToken }: DeskSources): Promise<string> {
  const user = await findStoredUser(userId);
  if (!user) throw new Error(`No user has the id ${userId}.`);
  return mintAccessToken({ id: user.id, role: user.role, company_id: user.company_id }, tokenSeconds);
}

/** The newest events on the outbound bus, newest first. */
export function viewOutbound({
  buses,
  environment,
  webhook,
}: Pick<DeskSources, "buses" | "environment" | "webhook">): OutboundView[] {
  return buses.past(environment.OUTBOUND_BUS_NAME ?? "").map(({ id: key, detail }) => {
    const { id, type, subject, time } = detail as OutboundEvent;
    const posted = webhook.outcomeOf(key) ?? null;
    return { key, id, type, subject, at: Date.parse(time), event: detail as OutboundEvent, posted };
  });
}

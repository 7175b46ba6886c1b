import { demoPassword } from "../demo/demo-people.ts";
import { resetLimits } from "../reset-limits.ts";
import { findItems, redrive, viewData } from "./data.ts";
import { viewInbox } from "./inbox-views.ts";
import { viewOutbound } from "./outbound-views.ts";
import { findPeople } from "./people.ts";
import { viewRecordChanges } from "./record-history.ts";
import type { DeskSources } from "./sources.ts";
import { requestRows, storyOf } from "./story.ts";

/** A change that the page requests. */
export type DeskChange = Readonly<Partial<Record<"user" | "queue" | "function" | "url", unknown>>>;

const tokenSeconds = 24 * 60 * 60;

/** The desk's own consumer of the table's stream, by which it sees changes. */
const ownConsumer = "desk";

/** Answers a read by its path below `/_local/desk/`; undefined for an unknown path. */
export async function readDesk(path: string, query: URLSearchParams, sources: DeskSources): Promise<unknown> {
  const { history, inbox, stack } = sources;
  const [what = "", id = ""] = path.split("/");
  if (what === "data") return viewData(sources, ownConsumer);
  if (what === "items") return findItems(query.get("kind") ?? "", query.get("from"));
  if (what === "changes") return viewRecordChanges(query.get("kind") ?? "", Number(query.get("id")));
  if (what === "outbound") return viewOutbound(sources);
  if (what === "webhook") return sources.webhook.view();
  const people = await findPeople();
  if (what === "requests" && id === "") return requestRows({ history, people });
  if (what === "people") {
    const docs = stack.routes.some(({ routeKey }) => /^(GET|ANY) \/docs$/.test(routeKey)) ? "/docs" : null;
    return { people, docs, demoPassword };
  }
  const messages = await viewInbox(inbox.entries(), people);
  if (what === "inbox") return messages;
  return what === "requests" ? storyOf(id, { history, people, messages }) : undefined;
}

/**
 * Carries out a change by its path below `/_local/desk/`; undefined for an unknown path. Throws an error with a
 * readable sentence.
 */
export async function changeDesk(path: string, change: DeskChange, sources: DeskSources): Promise<unknown> {
  if (path === "token") return { token: await mintToken(Number(change.user), sources) };
  if (path === "limits") return { count: await resetLimits() };
  if (path === "redrive") return { count: await redrive(String(change.queue), sources) };
  if (path === "webhook") return pointWebhook(String(change.url ?? ""), sources);
  if (path !== "run") return undefined;
  const schedule = sources.stack.schedules.find(({ functionName }) => functionName === change.function);
  if (!schedule) throw new Error(`No schedule calls ${change.function}.`);
  await sources.run(schedule.functionName);
  return {};
}

function pointWebhook(url: string, { webhook, buses, environment }: DeskSources): object {
  webhook.point(url, buses, environment.OUTBOUND_BUS_NAME);
  return {};
}

async function mintToken(userId: number, { mintAccessToken }: DeskSources): Promise<string> {
  const user = (await findPeople()).find(({ id }) => id === userId);
  if (!user) throw new Error(`No user has the id ${userId}.`);
  return mintAccessToken({ id: user.id, role: user.role, company_id: user.companyId }, tokenSeconds);
}

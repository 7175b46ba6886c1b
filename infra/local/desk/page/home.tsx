import { type InboxView, isBad, latestChange, type RequestRow, type ResourcesView, type StartView } from "../views.ts";
import { Resources } from "./data.tsx";
import { Messages } from "./inbox.tsx";
import { Action, Card, Copy, Empty, Head, Read } from "./parts.tsx";
import { RequestRows } from "./requests.tsx";
import { callAs, tokenOf, useLive } from "./server.ts";
import { Story } from "./story.tsx";

/** As many as fit on one screen. */
const mostNews = 5;

/** The present state: the last story, failures, lags, new messages, and first steps. */
export function Home() {
  return (
    <>
      <Head title="Home" about="The newest change and what followed from it, what failed, and who was told." />
      <div class="pad columns home">
        <div class="stack">
          <Read<RequestRow[]> path="requests">{(rows) => <News rows={rows} />}</Read>
        </div>
        <div class="stack">
          <FirstSteps />
          <Read<ResourcesView> path="data" everySeconds={2}>
            {({ queues, stream }) => (
              <Resources
                title="Queues and stream"
                rows={[...queues, ...stream].filter(isBad)}
                none="No message has failed, and no worker lags behind."
              />
            )}
          </Read>
          <Card title="New messages">
            <Read<InboxView[]> path="inbox">
              {(all) => <Messages messages={all.slice(0, mostNews)} none="None yet" hint="Nobody was told anything." />}
            </Read>
          </Card>
        </div>
      </div>
    </>
  );
}

function News({ rows }: { rows: readonly RequestRow[] }) {
  const latest = latestChange(rows);
  const failed = rows.filter(({ status }) => status >= 500).slice(0, mostNews);
  return (
    <>
      <Card title="The last story">
        {latest ? (
          <Story id={latest.id} isShort />
        ) : (
          <Empty title="Nothing was changed yet">Pay some timesheets, and watch what follows.</Empty>
        )}
      </Card>
      {failed.length > 0 && (
        <Card title="What failed">
          <RequestRows rows={failed} />
        </Card>
      )}
    </>
  );
}

function FirstSteps() {
  const { callers = [], docs } = useLive<StartView>("start").value ?? {};
  const operator = callers.find(({ role }) => role === "operator");
  return (
    <Card title="First steps">
      <div class="pad stack">
        {operator && (
          <p class="tools">
            <Action
              label={`Pay five timesheets as ${operator.name}`}
              done="Paid"
              act={() => payAs(operator.id)}
              primary
              title="Marks the newest pending timesheets of the company as paid"
            />
            <Copy label={`Copy the token of ${operator.name}`} text={() => tokenOf(operator.id)} />
          </p>
        )}
        <p class="tools">
          <a href="#/people">Anyone's token</a>
          {docs && <a href={docs}>Guides and operations</a>}
          <a href="#/events">Send an event</a>
          <a href="#/data">See the data</a>
        </p>
      </div>
    </Card>
  );
}

/** Marks up to five pending timesheets as paid, as an app would. */
async function payAs(id: number): Promise<void> {
  const place = "/api/v1/finance/timesheets";
  const list = await (await callAs(id, "GET", `${place}?by_state=pending&per_page=5`)).json();
  const timesheet_ids = (list.timesheets ?? []).map((each: { id: number }) => each.id);
  if (timesheet_ids.length === 0) throw new Error("None is pending");
  await callAs(id, "PATCH", `${place}/bulk_update`, { timesheet: { timesheet_ids, state: "paid" } });
}

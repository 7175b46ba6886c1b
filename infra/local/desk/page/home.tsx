import { type HomeView, type Person, plural } from "../views.ts";
import { Messages } from "./inbox.tsx";
import { Action, Card, Copy, Empty, Head, Loaded } from "./parts.tsx";
import { RequestRows } from "./requests.tsx";
import { callAs, tokenOf, useLive } from "./server.ts";
import { Layers, queueTitle, Summary, Undo } from "./story.tsx";

/** More than a busy machine's consumers usually have to do. */
const manyChanges = 200;

/** The present state: the last story, failures, lags, new messages, and first steps. */
export function Home() {
  const live = useLive<HomeView>("home", 2);
  return (
    <>
      <Head title="Home" about="The newest change and what followed from it, what failed, and who was told." />
      <Loaded live={live}>{(view) => <News view={view} />}</Loaded>
    </>
  );
}

function News({ view }: { view: HomeView }) {
  const { story, messages, failed } = view;
  return (
    <div class="pad stack">
      <div class="columns home">
        <div class="stack">
          <Card title="The last story">
            {story ? (
              <div class="pad stack">
                <Summary story={story} />
                <Layers story={story} />
                <p class="tools">
                  <Undo story={story} />
                  <a href={`#/requests/${encodeURIComponent(story.row.id)}`}>Open it</a>
                </p>
              </div>
            ) : (
              <Empty title="Nothing was changed yet">Pay some timesheets, and watch what follows.</Empty>
            )}
          </Card>
          {failed.length > 0 && (
            <Card title="What failed">
              <RequestRows rows={failed} />
            </Card>
          )}
        </div>
        <div class="stack">
          <FirstSteps view={view} />
          <State view={view} />
          <Card title="New messages">
            {messages.length > 0 ? (
              <Messages messages={messages} />
            ) : (
              <Empty title="None yet">Nobody was told anything.</Empty>
            )}
          </Card>
        </div>
      </div>
    </div>
  );
}

function FirstSteps({ view: { operator, docs } }: { view: HomeView }) {
  return (
    <Card title="First steps">
      <div class="pad stack">
        {operator && (
          <p class="tools">
            <Action
              label={`Pay five timesheets as ${operator.name}`}
              done="Paid"
              act={() => payAs(operator)}
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
async function payAs({ id }: Person): Promise<void> {
  const place = "/api/v1/finance/timesheets";
  const list = await (await callAs(id, "GET", `${place}?by_state=pending&per_page=5`)).json();
  const timesheet_ids = (list.timesheets ?? []).map((each: { id: number }) => each.id);
  if (timesheet_ids.length === 0) throw new Error("None is pending");
  await callAs(id, "PATCH", `${place}/bulk_update`, { timesheet: { timesheet_ids, state: "paid" } });
}

function State({ view: { queues, consumers } }: { view: HomeView }) {
  const late = consumers.filter(({ behind }) => (behind ?? 0) > manyChanges);
  const fine = queues.length + late.length === 0;
  return (
    <Card title="Queues and stream">
      <ul class="rows">
        {fine && <li class="item muted">No message has failed, and no worker lags behind.</li>}
        {queues.map(({ name, failed }) => (
          <li key={name} class="item">
            <a class="what" href="#/data/queues">
              {queueTitle(name)}
            </a>
            <span class="chip bad">{failed} failed</span>
          </li>
        ))}
        {late.map(({ functionName, behind }) => (
          <li key={functionName} class="item">
            <a class="what" href="#/data/stream">
              {functionName}
            </a>
            <span class="chip warn">{plural(behind ?? 0, "change")} behind</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

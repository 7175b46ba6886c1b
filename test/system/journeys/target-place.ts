import { namesOf } from "../../../infra/stages/names.ts";
import { type ChosenStage, findStage } from "../../../infra/stages/stages.ts";
import { requireStage } from "../../../infra/tools/service/deployed-stage.ts";
import { withService } from "../../../infra/tools/service/open-service.ts";
import { type Inboxes, openInboxes } from "../../support/requests/inboxes.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { startLocalMachine } from "../../support/service/local-machine.ts";

/** The place that journeys run against: a running service, and the ways to reach the parts behind it. This process is its client. */
export interface TargetPlace {
  readonly baseUrl: string;
  readonly inboxes: Inboxes;
  readonly eventBus: string;
  /** Whether strangers may register there. */
  readonly registration: "open" | "closed";
  /** Whether notifications are pushed to devices there. */
  readonly pushes: boolean;
  /** The output of the service, if it is a local machine's. */
  printed?(): string;
  close(): Promise<void>;
}

/** The service that `JOURNEY_URL` and `JOURNEY_STAGE` (of the file `JOURNEY_STAGES`) name, with the inboxes of `JOURNEY_INBOX`; without them a local machine of its own. */
export function openPlace(): Promise<TargetPlace> {
  const { JOURNEY_URL: url, JOURNEY_STAGE: stage, JOURNEY_STAGES: stages, JOURNEY_INBOX: inboxes } = process.env;
  if (!url && !stage) return openLocalMachine();
  if (!url || !stage) throw new Error("JOURNEY_URL and JOURNEY_STAGE name a stage together: set both, or none");
  return enterPlace(requireStage("test:journeys", { stage, stages }), {
    baseUrl: url.replace(/\/$/, ""),
    inboxes: openInboxes(inboxes?.split(" ") ?? []),
    close: async () => {},
  });
}

async function openLocalMachine(): Promise<TargetPlace> {
  const directory = await makeDemoDirectory();
  const machine = await startLocalMachine(directory.path);
  const { baseUrl } = machine;
  const close = async () => {
    await machine.interrupt();
    directory.remove();
  };
  const inboxes = openInboxes([`${baseUrl}/_local/inbox`]);
  return enterPlace(undefined, { baseUrl, inboxes, printed: machine.output, close }, directory.path);
}

async function enterPlace(
  chosen: ChosenStage | undefined,
  place: Pick<TargetPlace, "baseUrl" | "inboxes" | "printed" | "close">,
  directory = "",
): Promise<TargetPlace> {
  // The environment of a service's client stays when the service is closed; nothing of it runs in this process.
  await withService({ stage: chosen, directory }, async () => {});
  const { name, registration, platformApplications } = chosen?.stage ?? findStage("local");
  const pushes = platformApplications !== undefined && place.inboxes.channels.has("push");
  return { ...place, eventBus: namesOf(name).eventBus, registration, pushes };
}

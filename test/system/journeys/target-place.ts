import { namesOf } from "../../../infra/stages/names.ts";
import { findStage } from "../../../infra/stages/stages.ts";
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

/** The service that `JOURNEY_URL` and `JOURNEY_STAGE` name, with the inboxes of `JOURNEY_INBOX`; without them a local machine of its own. */
export function openPlace(): Promise<TargetPlace> {
  const { JOURNEY_URL: url, JOURNEY_STAGE: stage, JOURNEY_INBOX: inboxes } = process.env;
  if (!url && !stage) return openLocalMachine();
  if (!url || !stage) throw new Error("JOURNEY_URL and JOURNEY_STAGE name a stage together: set both, or none");
  return enterPlace(stage, stage, {
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
  return enterPlace("local", undefined, { baseUrl, inboxes, printed: machine.output, close }, directory.path);
}

async function enterPlace(
  name: string,
  stage: string | undefined,
  place: Pick<TargetPlace, "baseUrl" | "inboxes" | "printed" | "close">,
  directory = "",
): Promise<TargetPlace> {
  // The environment of a service's client stays when the service is closed; nothing of it runs in this process.
  await withService({ stage, directory }, async () => {});
  const { registration, platformApplications } = findStage(name);
  const pushes = platformApplications !== undefined && place.inboxes.channels.has("push");
  return { ...place, eventBus: namesOf(name).eventBus, registration, pushes };
}

import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { namesOf } from "../../../infra/stages/names.ts";
import { type ChosenStage, findStage } from "../../../infra/stages/stages.ts";
import { requireStage } from "../../../infra/tools/service/deployed-stage.ts";
import { withService } from "../../../infra/tools/service/open-service.ts";
import { companyLine, userLine } from "../../support/records/records.ts";
import { type HttpResult, send, signIn } from "../../support/requests/http-client.ts";
import { type Inboxes, openInboxes } from "../../support/requests/inboxes.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { startLocalMachine } from "../../support/service/local-machine.ts";
import { runImport, streamOf } from "../../tools/import/run-import.ts";

/** The place that journeys run against: a running service, and the ways to reach the parts behind it. This process is its client. */
interface TargetPlace {
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
function openPlace(): Promise<TargetPlace> {
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

/** A user that journeys act as. */
export interface Person {
  readonly id: number;
  readonly email: string;
  readonly password: string;
}

type PersonRole = "admin" | "operator" | "driver";

/** The parts of a request beside method and path. */
export interface TargetRequest {
  readonly body?: object;
  readonly bearer?: string;
  /** The person whose token is sent. */
  readonly as?: PersonRole;
}

/** A running service with a company and people of this run's own, which are removed at the end. */
export interface Target extends Omit<TargetPlace, "close" | "eventBus"> {
  readonly companyId: number;
  readonly people: Readonly<Record<PersonRole, Person>>;
  request(method: string, path: string, options?: TargetRequest): Promise<HttpResult>;
  importLines(lines: readonly ImportLine[]): Promise<void>;
  putEvent(type: "Record" | "Notification", detail: object): Promise<void>;
  /** Has a record that came in otherwise removed at the end. */
  removeAtEnd(record: ImportLine): void;
}

type ImportLine = { readonly type: string; readonly id: number } & Record<string, unknown>;

/** The time for which a journey waits for messages that travel through queues and streams. */
export const arriving = { timeout: 30_000, interval: 200 };

// Above any id that a real system gives, and below those of no user (2^52), so that a run meets no record but its own; 1,000
// for each.
const highIds = 4_490_000_000_000_000;
let lastId = highIds + Math.floor(Math.random() * 7_000_000_000) * 1_000;

/** An id that no other run has used. */
export function newId(): number {
  lastId += 1;
  return lastId;
}

/** An e-mail address that SES takes everything for and delivers nowhere. */
export function newEmail(): string {
  return `success+${newId()}@simulator.amazonses.com`;
}

/** A British mobile number; where SMS are really sent, nobody should be asked for a pin with it. */
export function newPhone(): string {
  return `+4474001${String(Math.floor(Math.random() * 100_000)).padStart(5, "0")}`;
}

/** Gives a test file the target of this run. */
export function useTarget(): Target {
  const target = {} as Target;
  let close = async () => {};
  beforeAll(async () => {
    const place = await openPlace();
    close = place.close;
    const bus = new EventBridgeClient({});
    const owned: ImportLine[] = [];
    const people = { admin: newPerson(), operator: newPerson(), driver: newPerson() };
    Object.assign(target, place, { people, companyId: newId(), ...actionsOf(target, place.eventBus, bus, owned) });
    close = async () => {
      bus.destroy();
      // Records first: what is left of a user goes with the user.
      await importAll(owned.toReversed().map(({ type, id }) => ({ type, id, deleted: true }))).finally(place.close);
    };
    await target.importLines(linesOf(target));
  }, 120_000);
  beforeEach(({ onTestFailed }) => onTestFailed(() => console.error(target.printed?.() ?? "Its log is the stage's.")));
  afterAll(() => close(), 60_000);
  return target;
}

function newPerson(): Person {
  return { id: newId(), email: newEmail(), password: `journey ${crypto.randomUUID()}` };
}

function linesOf({ people, companyId }: Target): ImportLine[] {
  const roles = Object.keys(people) as PersonRole[];
  const users = roles.map((role) => {
    const { id, ...fields } = people[role];
    return userLine(id, { ...fields, role, financial_company_id: role === "admin" ? null : companyId });
  });
  return [companyLine(companyId, "Journeys"), ...users];
}

function actionsOf(target: Target, eventBus: string, bus: EventBridgeClient, owned: ImportLine[]) {
  const tokens = new Map<PersonRole, Promise<string>>();
  return {
    async request(method: string, path: string, { as, body, bearer }: TargetRequest = {}) {
      if (as && !tokens.has(as)) {
        const { email, password } = target.people[as];
        tokens.set(as, signIn(target.baseUrl, email, password));
      }
      return send(target.baseUrl, method, path, { body, bearer: as ? await tokens.get(as) : bearer });
    },
    async importLines(lines: readonly ImportLine[]) {
      owned.push(...lines);
      await importAll(lines);
    },
    async putEvent(type: string, detail: object) {
      const event = { EventBusName: eventBus, Source: "journeys.example", DetailType: type };
      const Entries = [{ ...event, Detail: JSON.stringify(detail) }];
      expect((await bus.send(new PutEventsCommand({ Entries }))).FailedEntryCount).toBe(0);
    },
    removeAtEnd: (record: ImportLine) => void owned.push(record),
  };
}

async function importAll(lines: readonly object[]): Promise<void> {
  // One after the other: a company must outlive its users.
  const { errors } = await runImport(streamOf(...lines), { now: new Date(), concurrency: 1 });
  expect(errors).toEqual([]);
}

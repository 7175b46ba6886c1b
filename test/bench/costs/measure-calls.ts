import { relative } from "node:path";
import type { DynamoDBRecord, SQSEvent } from "aws-lambda";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { demoUsers } from "../../../infra/local/demo/demo.ts";
import { enterEnvironment } from "../../../infra/local/local-aws.ts";
import { pinIn } from "../../../infra/local/message-pin.ts";
import { root } from "../../../infra/support/root.ts";
import { invokeHandler, isSuccess } from "../../../infra/tools/invoke/invocation.ts";
import { fillEvent, readEvent, sampleFile } from "../../../infra/tools/invoke/sample-event.ts";
import { type LocalService, withLocalService } from "../../../infra/tools/service/local-service.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { subjectOf } from "../../../shared/people/limits.ts";
import { forgetPins } from "../../../shared/people/pins.ts";
import { listedItems } from "../../../shared/records/items.ts";
import { type Item, type Key, recordKey } from "../../../shared/table/table.ts";
import { costOf } from "../../support/records/costs.ts";
import { allItems } from "../../support/records/items.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { queueEvent, streamRecord } from "../../support/workers/workers.ts";

/** The measured costs of one call of a function. */
export interface MeasuredCall {
  readonly name: FunctionName;
  readonly isOperation: boolean;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The bytes that the function itself writes to its log. */
  readonly logBytes: number;
}

/** Workers that follow from what operations do, by the sample event of each. */
const workers: readonly FunctionName[] = [
  "deliver-pin",
  "notify-password-changed",
  "intake",
  "keep-history",
  "notify",
  "deliver-notifications",
];

/** Values in place of a sample event's. */
type Given = Readonly<Record<string, string | number>>;

/** Those whose sample event wants a secret or an id that another call gives. */
const followers: readonly string[] = [
  "refresh-token",
  "confirm-login",
  "set-password",
  "confirm-login-by-body",
  "remove-device-token",
  "undo-change",
  "mark-notifications",
];

/**
 * Runs every operation and the workers behind them once on the demo data, warm, and counts what each takes; gives the items of
 * the table too.
 */
export function measureCalls(directory: string): Promise<{ readonly calls: MeasuredCall[]; readonly items: Item[] }> {
  return withLocalService(directory, async (service) => ({
    calls: await measureAll(service),
    items: await allItems(),
  }));
}

async function measureAll(service: LocalService): Promise<MeasuredCall[]> {
  const measured = new Map<FunctionName, MeasuredCall>();
  const call = async (name: FunctionName, given: Given = {}, event?: unknown) => {
    const { answer, ...taken } = await measureCall(name, service, event ?? (await eventOf(name, service, given)));
    measured.set(name, taken);
    return answer;
  };
  // Public keys are kept for five minutes, and up to when changes are counted for 15 seconds: a call that finds them is measured.
  await call("list-jobs");
  await call("list-invoices");
  // What has the state already is not written.
  await Promise.all([1, 2].map((id) => write({ type: "timesheet", id, state: "pending" })));
  const answers = new Map<string, unknown>();
  const byUser = await readingChange(recordKey("TIMESHEET", 1), async () => {
    answers.set("bulk-update-timesheets", await call("bulk-update-timesheets"));
  });
  // Of a user's change the history has a row more than of an event's.
  await call("keep-history", {}, byUser);
  for (const { name } of operations) {
    if (!followers.includes(name) && !answers.has(name)) answers.set(name, await call(name as FunctionName));
  }
  await call("undo-change", { id: changeIdOf(answers.get("bulk-update-timesheets")) });
  const [newest] = bodyOf(answers.get("list-notifications")).notifications;
  await call("mark-notifications", { up_to_id: newest.id });
  const { token } = bodyOf(answers.get("sign-in"));
  await call("refresh-token", { refresh_token: token.refresh_token });
  const { notification } = bodyOf(answers.get("register-device-token"));
  await call("remove-device-token", { id: String(notification.id) });
  await call("deliver-pin");
  const { user } = bodyOf(await call("confirm-login", { pin: newestPin(service) }));
  await call("set-password", { reset_password_token: user.reset_password_token });
  // A spent pin counts no more: another is asked for.
  await call("request-password-reset");
  await call("deliver-pin");
  await call("confirm-login-by-body", { pin: newestPin(service) });
  const change = await readingChange(
    recordKey("INVOICE", changedInvoice),
    async () => void (await call("intake", {}, await eventOfInvoice())),
  );
  await call("keep-history", {}, change);
  for (const name of workers) if (!measured.has(name)) await call(name);
  return [...operations.map(({ name }) => name as FunctionName), ...workers].flatMap(
    (name) => measured.get(name) ?? [],
  );
}

function changeIdOf(answer: unknown): string {
  return (answer as { readonly headers: Readonly<Record<string, string>> }).headers["change-id"] ?? "";
}

const changedInvoice = 1;

/** An event of another system that changes an invoice: most of what the service takes in changes a record. */
async function eventOfInvoice(): Promise<SQSEvent> {
  const stored = await listedItems.INVOICES.find(recordKey("INVOICE", changedInvoice));
  const state = stored?.record.state === "paid" ? "overdue" : "paid";
  const detail = { type: "invoice", id: changedInvoice, state, version: Date.now(), event_id: crypto.randomUUID() };
  const event = { version: "0", id: crypto.randomUUID(), "detail-type": "Record", source: "rota.example", detail };
  return queueEvent(event);
}

/**
 * Does work that changes a record, and returns the record's stream record. That of the sample event would not do: its revisions
 * are older than those of the demo data.
 */
async function readingChange(
  key: Key,
  work: () => Promise<void>,
): Promise<{ readonly Records: readonly DynamoDBRecord[] }> {
  const before = await readItem(key);
  await work();
  return { Records: [streamRecord(key, { before, after: await readItem(key) })] };
}

async function measureCall(
  name: FunctionName,
  service: LocalService,
  event: unknown,
): Promise<MeasuredCall & { answer: unknown }> {
  enterEnvironment(service.functionEnvironment(name));
  // The pin of an earlier request would stay, and the sample's would not be sent.
  if (name === "deliver-pin") await forgetPins(await subjectOf("pin", demoUsers.driver.login));
  let logged = "";
  const { write: print } = process.stderr;
  process.stderr.write = (chunk: string | Uint8Array) => {
    logged += chunk.toString();
    return true;
  };
  try {
    let answer: unknown;
    const { readUnits, writeUnits } = await costOf(async () => {
      const outcome = await invokeHandler(name, event);
      answer = outcome.answer;
      if (!isSuccess(outcome) || logged.includes('"message":"quarantined"')) throw new Error(refusalOf(name, answer));
    });
    const logBytes = Buffer.byteLength(logged);
    return { name, isOperation: functions[name].area !== "workers", readUnits, writeUnits, logBytes, answer };
  } finally {
    process.stderr.write = print;
    enterEnvironment(service.environment);
  }
}

function refusalOf(name: FunctionName, answer: unknown): string {
  const file = relative(root, sampleFile(name));
  return `The sample event of ${name} (${file}) does not succeed on the demo data: ${JSON.stringify(answer)}; see npm run invoke -- ${name}`;
}

async function eventOf(name: FunctionName, service: LocalService, given: Given) {
  const { access = [] } = operations.find((each) => each.name === name) ?? {};
  const user = access.includes(demoUsers.operatorA.role) ? demoUsers.operatorA : demoUsers.admin;
  const token = await service.mintTokenFor(user.login, 1);
  const sample = fillEvent(readEvent(sampleFile(name)), { token, pin: String(given.pin ?? "000000") }) as {
    body?: string;
    pathParameters?: object;
  };
  if (sample.pathParameters) return { ...sample, pathParameters: { ...sample.pathParameters, ...given } };
  if (!sample.body) return sample;
  const [[object, fields] = []] = Object.entries<object>(JSON.parse(sample.body));
  const known = Object.entries(given).filter(([field]) => Object.hasOwn(fields ?? {}, field));
  return { ...sample, body: JSON.stringify({ [String(object)]: { ...fields, ...Object.fromEntries(known) } }) };
}

function bodyOf(answer: unknown) {
  return JSON.parse((answer as { body: string }).body);
}

function newestPin(service: LocalService): string {
  const pins = service.messages().map(({ text }) => pinIn(text));
  return pins.find((pin) => pin !== undefined) ?? "000000";
}

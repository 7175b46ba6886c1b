import { keepHistory } from "../../functions/workers/write-history.ts";
import { confirmedUserText } from "../../infra/document/texts/accounts.ts";
import { createdApiKeyText } from "../../infra/document/texts/api-keys.ts";
import { changeText, undoChangeText } from "../../infra/document/texts/changes.ts";
import { deviceTokenText } from "../../infra/document/texts/devices.ts";
import { problemTexts } from "../../infra/document/texts/refusals.ts";
import { publicJwkText } from "../../infra/document/texts/service.ts";
import { issuedTokenText } from "../../infra/document/texts/sessions.ts";
import type { FieldText } from "../../infra/document/texts/text.ts";
import { operationTextOf } from "../../infra/document/texts/texts.ts";
import { exampleOf } from "../../infra/document/with-texts.ts";
import { demoUsers, loadDemo } from "../../infra/local/demo/demo.ts";
import { requestPasswordReset } from "../../shared/contract/accounts.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { operations } from "../../shared/contract/operations.ts";
import { setTimesheetStates } from "../../shared/records/timesheets.ts";
import { recordKey } from "../../shared/table/table.ts";
import { logChange } from "../support/records/change-log.ts";
import { callerContext } from "../support/records/contexts.ts";
import { at } from "../support/records/own-user.ts";
import { openTestSession } from "../support/records/sessions.ts";
import { call, type TestAnswer, type TestRequest } from "../support/requests/call.ts";
import { endpoints } from "../support/requests/every-operation.ts";
import { deliverPins, newestPin } from "../support/requests/pins.ts";
import type { Service } from "../support/service/service.ts";
import { testSession } from "../support/tokens/tokens.ts";

/** The day that the demo data is made for, and the time of the first request. */
const recordingMoment = "2026-05-01T09:00:00.000";

const login = demoUsers.operatorA.login;

/** The timesheet that the examples of changes are of. */
const changedTimesheet = 1;
const demoCaller = { userId: demoUsers.admin.id, role: "admin", companyId: null, sessionId: testSession } as const;

/** Values that differ from run to run, or that must not look real: the example of their own text replaces them. */
const masks: Readonly<Record<string, unknown>> = {
  access_token: exampleOf(issuedTokenText.fields.access_token ?? [""]),
  refresh_token: exampleOf(issuedTokenText.fields.refresh_token ?? [""]),
  reset_password_token: exampleOf(confirmedUserText.fields.reset_password_token ?? [""]),
  request_id: exampleOf(problemTexts.request_id),
  change_id: exampleOf(changeText.fields.change_id ?? [""]),
  secret: exampleOf(createdApiKeyText.fields.secret ?? [""]),
  x: exampleOf(publicJwkText.fields.x ?? [""]),
  y: exampleOf(publicJwkText.fields.y ?? [""]),
  kid: exampleOf(publicJwkText.fields.kid ?? [""]),
};

/** Loads the demo data as it is on the day of the recording, with a session of each user who calls. */
export async function loadRecordingData(): Promise<void> {
  at(recordingMoment);
  await loadDemo(new Date());
  // A change that the examples show: of what is paid already, paying it is none.
  await setTimesheetStates([changedTimesheet], "all", "pending", callerContext(demoCaller));
  const { admin, operatorA, operatorB } = demoUsers;
  for (const { id } of [admin, operatorA, operatorB]) await openTestSession(id);
}

/** The answer of each operation to the request of its examples, by name. */
export async function recordAnswers(service: Service): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const operation of inOrder()) {
    const answer = await recordChange(async () => send(operation, await requestOf(operation, service)));
    if (answer.status !== 200) throw new Error(`${operation.name} answered ${answer.status} ${answer.body?.code}`);
    answers[operation.name] = mask(shown(operation, answer.body));
    if (operation.name === "bulk-update-timesheets") held.change_id = answer.headers["change-id"] ?? "";
    if (operation.name === "sign-in") held.refresh_token = answer.body.token.refresh_token;
    if (operation.name.startsWith("confirm")) held.reset_password_token = answer.body.user.reset_password_token;
  }
  return Object.fromEntries(operations.map(({ name }) => [name, answers[name]]));
}

/** Does a piece of work, and keeps what it changed of that timesheet. */
async function recordChange<T>(work: () => Promise<T>): Promise<T> {
  const done: T[] = [];
  await keepHistory(await logChange(recordKey("TIMESHEET", changedTimesheet), async () => done.push(await work())));
  return done[0] as T;
}

/** Calls an operation's handler. */
export function send({ name }: Operation, request: TestRequest): Promise<TestAnswer> {
  const endpoint = endpoints.find((each) => each.name === name);
  if (!endpoint) throw new Error(`${name} has no handler`);
  return call(endpoint.handler, endpoint.operation, request);
}

/** An answer with masks in place of what differs from run to run. */
export function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== "object" || value === null) return value;
  const masked = Object.entries(value).map(([name, each]) => [name, masks[name] ?? mask(maskId(name, each))]);
  return Object.fromEntries(masked);
}

/** The path of a refusal has the id of a change in it, which differs from run to run. */
function maskId(name: string, value: unknown): unknown {
  const id = exampleOf(undoChangeText.parameters?.id ?? [""]);
  return name === "instance" ? String(value).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, String(id)) : value;
}

const held: Record<string, string> = {};

/** Ids in paths that no example knows. */
const idsOf: Readonly<Record<string, () => Record<string, string>>> = {
  "end-session": () => ({ id: testSession }),
  "undo-change": () => ({ id: held.change_id ?? "" }),
};

/** The operations that list what others make, or end sessions, which therefore come last. */
const concluding = [
  "list-api-keys",
  "sign-in",
  "refresh-token",
  "end-session",
  "sign-out",
  "request-password-reset",
  "confirm-login-by-body",
  "set-password",
  "confirm-login",
];

function inOrder(): Operation[] {
  const later = concluding.flatMap((name) => operations.filter((each) => each.name === name));
  return [...operations.filter((each) => !later.includes(each)), ...later];
}

/** The request that the examples of an operation make, with a real secret where they have a mask. */
async function requestOf(operation: Operation, service: Service): Promise<TestRequest> {
  const { name, access, body, list } = operation;
  const { parameters = {}, query = {}, body: text } = operationTextOf(operation) ?? {};
  const pin: { pin?: string } = name.startsWith("confirm") ? { pin: await askForPin(service, name) } : {};
  const secrets = { ...held, ...pin };
  const isPaged = list && operation.query;
  return {
    ...(access !== "anyone" && { as: access.includes("operator") ? demoUsers.operatorA : demoUsers.admin }),
    parameters: { ...asTexts(parameters), ...idsOf[name]?.() },
    query: { ...asTexts(query), ...("pin" in query && pin), ...(isPaged && { per_page: "2" }) },
    ...(body && text && { body: { [body.object]: withSecrets(exampleOf(text) as object, secrets) } }),
  };
}

/** The second pin is asked for when the first one's limits are over. */
async function askForPin(service: Service, name: string): Promise<string> {
  if (name === "confirm-login") {
    at("2026-05-01T11:00:00.000");
    await send(requestPasswordReset, { body: { user: { login } } });
  }
  await deliverPins();
  return newestPin(service.inbox, login);
}

function withSecrets(fields: object, secrets: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, secrets[name] ?? value]));
}

function asTexts(fields: Readonly<Record<string, FieldText>>): Record<string, string> {
  const examples = Object.entries(fields).map(([name, text]) => [name, exampleOf(text)] as const);
  return Object.fromEntries(examples.flatMap(([name, each]) => (each === undefined ? [] : [[name, String(each)]])));
}

/** Ids of devices and API keys are partly random. */
function withExampleKeyId<T extends object>(key: T): T {
  return { ...key, id: exampleOf(createdApiKeyText.fields.id ?? [""]) };
}

function withExampleId<T extends object>(device: T): T {
  return { ...device, id: exampleOf(deviceTokenText.fields.id ?? [""]) };
}

/** So are those of changes. */
function withExampleIds(change: object): object {
  const { id, undone } = exampleOf(undoChangeText.answer.fields.change ?? [""]) as Record<string, unknown>;
  return { ...change, id, undone };
}

/** The document shows its own outline and no more; one key is enough; a device and an API key have another id each time. */
function shown(operation: Operation, body: TestAnswer["body"]): object {
  if (operation.name === "get-openapi") return { openapi: body.openapi, info: { title: body.info.title }, paths: {} };
  if (operation.name === "get-key-set") return { keys: body.keys.slice(0, 1) };
  if (operation.name === "create-api-key") return { key: withExampleKeyId(body.key) };
  if (operation.name === "list-api-keys") return { keys: body.keys.map(withExampleKeyId) };
  if (operation.name === "list-device-tokens") return { tokens: body.tokens.map(withExampleId) };
  if (operation.name === "undo-change") return { change: withExampleIds(body.change) };
  if (operation.name !== "register-device-token") return body;
  return { notification: withExampleId(body.notification) };
}

import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { handler as deliverPin } from "../../../functions/workers/deliver-pin.ts";
import { handler as notify } from "../../../functions/workers/notify.ts";
import { handler as notifyPasswordChanged } from "../../../functions/workers/notify-password-changed.ts";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { type Operation, parameterNames } from "../../../shared/contract/operation.ts";
import type { OperationName } from "../../../shared/contract/operations.ts";
import { apiKeysKey } from "../../../shared/people/api-keys.ts";
import { userKey } from "../../../shared/people/users.ts";
import { log } from "../../../shared/run/log.ts";
import { readSigningKeys } from "../../../shared/tokens/keys.ts";
import { timesheetLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { call, type TestAnswer, type TestRequest } from "../../support/requests/call.ts";
import { endpoints } from "../../support/requests/every-operation.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { deliverPins, newestPin, pinMessage } from "../../support/requests/pins.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { useService } from "../../support/service/service.ts";
import { drain, nothingFailed, streamRecord } from "../../support/workers/workers.ts";

const service = useService();
let client: SQSClient;
const phone = "+447400123987";
const email = "canary-mara@example.com";
const newcomer = "canary-newcomer@example.com";
const stranger = "canary-stranger@example.com";
const logins = [email, newcomer, stranger, phone, "7400123987", "canary-mara", "canary-newcomer", "canary-stranger"];
const password = "canary password of old";
const newPassword = "canary password of new";
const wrongPassword = "canary password gone wrong";
const passcode = "73915482";
const wrongPasscode = "82915473";
const names = ["Canaryfirst", "Canarylast"];

/** Everything that may be in no log line and no error; pins and tokens join as they are made. */
const planted = new Set([...logins, password, newPassword, wrongPassword, passcode, wrongPasscode, ...names]);
const answers: { readonly sent: string; readonly answer: TestAnswer }[] = [];
const queued: string[] = [];
/** The lines printed beside the log: a console.log left behind, or a warning of a library. */
const printed: string[] = [];

vi.spyOn(process.stderr, "write").mockImplementation((line) => printed.push(String(line)) > 0);
for (const method of ["log", "info", "warn", "error", "debug"] as const)
  vi.spyOn(console, method).mockImplementation((...values) => void printed.push(values.map(String).join(" ")));

beforeAll(async () => {
  await rotate();
  client = new SQSClient({});
  const [first_name, last_name] = names;
  await store([
    userLine(10, { email, phone_number: phone, first_name, last_name, password, passcode, role: "operator" }),
    timesheetLine(1, 1),
  ]);
  for (const { jwk } of await readSigningKeys()) planted.add(jwk.d);
});

afterAll(() => client?.destroy());

beforeEach(() => forgetLimits(service));

async function send(name: OperationName, request: TestRequest): Promise<TestAnswer> {
  const endpoint = endpoints.find((each) => each.name === name);
  if (!endpoint) throw new Error(`There is no operation ${name}`);
  const answer = await call(endpoint.handler, endpoint.operation, request);
  answers.push({ sent: name, answer });
  const { token = {}, user: { reset_password_token } = {} as { reset_password_token?: string } } = answer.body;
  for (const secret of [token.access_token, token.refresh_token, reset_password_token, answer.body.key?.secret]) {
    if (secret) for (const part of [secret, ...secret.split(".").slice(-1), secret.slice(-43)]) planted.add(part);
  }
  return answer;
}

/** Reads the messages that wait in both queues now; they stay there. */
async function lookIntoQueues(): Promise<void> {
  for (const QueueUrl of [process.env.PIN_QUEUE_URL, process.env.NOTICE_QUEUE_URL]) {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
    const { Messages = [] } = await client.send(receive);
    queued.push(...Messages.map(({ Body = "" }) => Body));
  }
}

async function pinFor(login: string): Promise<string> {
  await lookIntoQueues();
  await deliverPins();
  const pin = newestPin(service.inbox, login);
  planted.add(pin);
  return pin;
}

const user = (fields: object): TestRequest => ({ body: { user: fields } });
const bearer = (token: string): TestRequest => ({ headers: { authorization: `Bearer ${token}` } });

interface Secrets {
  readonly access: string;
  readonly refresh: string;
  readonly reset: string;
  readonly pin: string;
  readonly key: string;
}

/** Requests with every secret, in right and in wrong places. */
function requestsWith({ access, refresh, reset, pin, key }: Secrets, operation: Operation): TestRequest[] {
  const own = { login: email, password: wrongPassword, pin, passcode, refresh_token: refresh };
  const everything = { ...own, reset_password_token: reset };
  const body = JSON.stringify({ user: everything, token: everything, timesheet: everything });
  const object = operation.body?.object ?? "user";
  const nested = { ...everything, login: { [password]: pin }, password: [password], refresh_token: [refresh] };
  const bodies = [body, `${body}${password}`, JSON.stringify({ [object]: nested }), `${" ".repeat(300_000)}${body}`];
  const headers = [
    { "content-type": `text/${password.replaceAll(" ", "-")}` },
    { authorization: `Basic ${password}` },
    { authorization: `Bearer ${reset}` },
    { authorization: `Bearer ${key}`, cookie: `token=${key}` },
    { authorization: `Bearer ${access}x`, cookie: `token=${refresh}`, "user-agent": password },
  ];
  const parameters = { login: email, pin: `${pin}x`, cursor: refresh, by_state: password };
  // Others than the operation's own are refused before any is looked at.
  const known = Object.entries(parameters).filter(([name]) => parameterNames(operation).includes(name));
  const queries = [
    { ...parameters, token: access, password },
    { [password]: pin, [access]: refresh, [email]: passcode, [key]: key },
    Object.fromEntries(known),
    { login: email, pin, padding: password.repeat(300) },
  ];
  return [
    ...bodies.map((each) => ({ body: each })),
    ...headers.map((each) => ({ body, headers: each })),
    ...queries.map((each) => ({ body, query: each })),
  ];
}

/** A run while developing leaves out areas that take no secret but the access token. */
const areas = usualFreshOrFull(/^(accounts|sessions|api-keys|finance)$/, /./, /./);

/** Every operation with every secret, and each secret where it belongs, wrong or once too often. */
async function tryEverything(secrets: Secrets): Promise<void> {
  const { access, refresh, reset, pin } = secrets;
  for (const { name, operation } of endpoints.filter((each) =>
    areas.test(functions[each.name as OperationName].area),
  )) {
    for (const request of requestsWith(secrets, operation)) await send(name as OperationName, request);
  }
  await forgetLimits(service);
  for (const login of [email, stranger, `${password}@@`]) {
    await send("sign-in", user({ login, password: wrongPassword }));
  }
  for (const refresh_token of [`${refresh}x`, reset])
    await send("refresh-token", { body: { token: { refresh_token } } });
  for (const [token, typed, confirmed] of [
    [`${reset}x`, newPassword, newPassword],
    [reset, newPassword, wrongPassword],
    [reset, "password", "password"],
  ]) {
    const fields = { reset_password_token: token, password: typed, password_confirmation: confirmed };
    await send("set-password", user(fields));
  }
  await send("confirm-login", { query: { login: email, pin } });
  await send("confirm-login-by-body", user({ login: stranger, pin }));
  await send("request-password-reset", user({ login: "+1 202 555 0143" }));
  for (let tries = 0; tries < 21; tries += 1) await pay(access, wrongPasscode);
  const known = { from: "192.0.2.5", headers: { "known-client": refresh } };
  for (let tries = 0; tries < 21; tries += 1) {
    await send("sign-in", { ...user({ login: stranger, password: wrongPassword }), ...known });
  }
}

function pay(access: string, typed: string): Promise<TestAnswer> {
  const timesheet = { timesheet_ids: [1], state: "paid", passcode: typed };
  return send("bulk-update-timesheets", { body: { timesheet }, ...bearer(access) });
}

async function goThrough(login: string): Promise<Secrets> {
  // What still waits is processed first: of two messages sent at once either may come last.
  await deliverPins();
  await forgetLimits(service);
  await send("request-password-reset", user({ login }));
  await send("request-password-reset", user({ login }));
  const pin = await pinFor(login);
  const reset = (await send("confirm-login", { query: { login, pin } })).body.user.reset_password_token;
  const set = { reset_password_token: reset, password: newPassword, password_confirmation: newPassword };
  expect((await send("set-password", user(set))).status).toBe(200);
  await noticeNewPassword();
  await lookIntoQueues();
  expect(await drain("NOTICE_QUEUE_URL", notifyPasswordChanged)).not.toEqual([]);
  const { refresh_token } = (await send("sign-in", user({ login, password: newPassword }))).body.token;
  const renewed = await send("refresh-token", { body: { token: { refresh_token } } });
  const { access_token: access, refresh_token: refresh } = renewed.body.token;
  expect((await send("get-profile", bearer(access))).status).toBe(200);
  await pay(access, passcode);
  const key = await useKey(access);
  return { access, refresh, reset, pin, key };
}

/** Makes an API key under a name of its own, uses it rightly and wrongly, and has its notice sent. */
async function useKey(access: string): Promise<string> {
  const asked = { name: `Export ${crypto.randomUUID()}`, access: "act", password: newPassword };
  const before = await readItem(apiKeysKey(10));
  const { status, body } = await send("create-api-key", { body: { key: asked }, ...bearer(access) });
  expect(status).toBe(200);
  const { id, secret } = body.key;
  await send("create-api-key", { body: { key: { ...asked, password: wrongPassword } }, ...bearer(access) });
  await send("create-api-key", { body: { key: asked }, ...bearer(access) });
  for (const sent of [secret, `${secret}x`, secret.slice(0, -1)]) await send("get-profile", bearer(sent));
  await pay(secret, passcode);
  await send("list-sessions", bearer(secret));
  await send("list-api-keys", bearer(access));
  const after = await readItem(apiKeysKey(10));
  expect(await notify({ Records: [streamRecord(apiKeysKey(10), { before, after })] })).toEqual(nothingFailed);
  expect(await drain("NOTICE_QUEUE_URL", notifyPasswordChanged)).not.toEqual([]);
  expect((await send("delete-api-key", { parameters: { id: String(id) }, ...bearer(access) })).status).toBe(200);
  return secret;
}

/** Queues the notice of the new password, as the table's stream has it done. */
async function noticeNewPassword(): Promise<void> {
  const after = await readItem(userKey(10));
  const before = { ...after, password_changed_at: undefined };
  expect(await notify({ Records: [streamRecord(userKey(10), { before, after })] })).toEqual(nothingFailed);
}

const hasSecret = (text: string, secret: string) => text.includes(secret) || text.includes(encodeURIComponent(secret));

function leaksIn(text: string): string[] {
  // A metric's moment and the id of a request may have six digits of a pin by chance.
  const said = text.replaceAll(/"Timestamp":\d{13},|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "");
  return [...planted].filter((secret) => hasSecret(said, secret));
}

/** Which of the texts have which secrets. */
function leaksOf(texts: readonly string[]): string {
  const leaked = leaksIn(texts.join("\n"));
  const found = leaked.flatMap((secret) =>
    texts.filter((text) => hasSecret(text, secret)).map((text) => `${text} has ${secret}`),
  );
  return found.join("\n");
}

function expectNothingLeaked(): void {
  expect(loggedLines.length).toBeGreaterThan(50);
  expect(leaksOf([...loggedLines, ...printed])).toBe("");
  const errors = answers.filter(({ answer }) => answer.status >= 400);
  expect(errors.length).toBeGreaterThan(0);
  const shown = errors.map(({ sent, answer: { status, headers, body } }) =>
    JSON.stringify([sent, status, headers, body]),
  );
  expect(leaksOf(shown)).toBe("");
}

test("no pin, token, password, passcode, login or name is in a log line or error of any account operation", async () => {
  const registration = { login: newcomer, password, first_name: names[0], last_name: names[1] };
  expect((await send("register-user", user(registration))).status).toBe(200);
  await send("register-user", user(registration));
  await send("register-user", user({ ...registration, password: "password" }));
  const pin = await pinFor(newcomer);
  expect((await send("confirm-login-by-body", user({ login: newcomer, pin }))).status).toBe(200);
  await goThrough(phone);
  await tryEverything(await goThrough(email));
  const statuses = new Set(answers.map(({ answer }) => answer.status));
  for (const status of [200, 400, 401, 403, 413, 415, 422, 429]) expect(statuses).toContain(status);
  // Metrics are lines as well.
  expect(countedMetrics()).toEqual(expect.arrayContaining([{ PinFailures: 1 }, { SmsSent: 1 }]));
  expectNothingLeaked();
}, 60_000);

test("of a login, the login alone is in the queues: no password, pin, token or passcode", async () => {
  await send("register-user", user({ login: stranger, password, first_name: "Robin", last_name: "Field" }));
  await lookIntoQueues();
  await goThrough(email);
  await lookIntoQueues();
  expect(queued.some((body) => body.includes(stranger))).toBe(true);
  expect(queued.some((body) => body.includes('"registers":true'))).toBe(true);
  expect(queued.some((body) => body.includes("changedAt"))).toBe(true);
  expect(queued.flatMap(leaksIn).filter((secret) => !logins.includes(secret))).toEqual([]);
});

test("no log line or error reveals a secret when the table, a queue or a secret store fails: 5xx with code and request id", async () => {
  const tokens = await goThrough(email);
  const settings = { ...process.env };
  for (const broken of ["TABLE_NAME", "PIN_QUEUE_URL", "SIGNING_SECRET_ARN", "HMAC_SECRET_ARN"]) {
    answers.length = 0;
    const url = settings[broken]?.startsWith("http") ? `${settings[broken]}-gone` : "gone";
    process.env[broken] = url;
    try {
      await tryRights(tokens);
    } finally {
      process.env[broken] = settings[broken];
    }
    const faults = answers.filter(({ answer }) => answer.status >= 500);
    for (const { answer } of faults) {
      expect(answer.body).not.toHaveProperty("detail");
      expect(answer.body).toMatchObject({ code: expect.any(String), request_id: expect.any(String) });
    }
    expect(faults.length, broken).toBeGreaterThan(0);
    expectNothingLeaked();
  }
}, 60_000);

async function tryRights({ access, refresh, reset, pin }: Secrets): Promise<void> {
  await send("request-password-reset", user({ login: phone }));
  await send("register-user", user({ login: stranger, password, first_name: "Robin", last_name: "Field" }));
  await send("confirm-login", { query: { login: email, pin } });
  await send("confirm-login-by-body", user({ login: email, pin }));
  await send("sign-in", user({ login: email, password: newPassword }));
  await send("refresh-token", { body: { token: { refresh_token: refresh } } });
  const set = { reset_password_token: reset, password: newPassword, password_confirmation: newPassword };
  await send("set-password", user(set));
  await send("get-profile", bearer(access));
  await send("sign-out", bearer(access));
}

test("the workers' logs show nothing of what is in a malformed message", async () => {
  for (const body of [
    `{"login":"${email}","password":"${password}"`,
    JSON.stringify({ login: email, channel: password, requestId: passcode }),
    password,
    JSON.stringify({ userId: email, changedAt: password }),
  ]) {
    const event = { Records: [{ messageId: "message-1", eventSource: "aws:sqs", body }] } as SQSEvent;
    expect((await deliverPin(event)).batchItemFailures).toHaveLength(1);
    expect((await notifyPasswordChanged(event)).batchItemFailures).toHaveLength(1);
  }
  await send("sign-in", user({ login: email, password: wrongPassword }));
  expectNothingLeaked();
});

test("what a message says of its request is logged where it is an id, and only there", async () => {
  const message = pinMessage(stranger);
  const bodies = [email, `${password} `, "JKJaXmPLvHcESHA="].map((requestId) =>
    JSON.stringify({ ...message, requestId }),
  );
  const Records = bodies.map((body, at) => ({ messageId: `message-${at}`, eventSource: "aws:sqs", body }));
  const from = loggedLines.length;
  await deliverPin({ Records } as SQSEvent);
  const ids = loggedLines.slice(from).map((line) => JSON.parse(line).request_id);
  expect(ids.toSorted()).toEqual(["JKJaXmPLvHcESHA=", "message-0", "message-1"]);
  expect(loggedLines.slice(from).flatMap(leaksIn)).toEqual([]);
});

test("a secret that is logged or answered would be found, so that the tests above mean something", async () => {
  await send("sign-in", user({ login: email, password: wrongPassword }));
  const { pin, refresh } = await goThrough(email);
  for (const secret of [pin, refresh, password, passcode, phone]) {
    log("info", "control", { detail: `<${secret}>` });
    expect(expectNothingLeaked).toThrow();
    loggedLines.pop();
    answers.push({ sent: "control", answer: { status: 422, headers: {}, body: { detail: secret } } });
    expect(expectNothingLeaked).toThrow("control");
    answers.pop();
  }
  expectNothingLeaked();
});

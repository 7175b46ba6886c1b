import { Readable } from "node:stream";
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda";
import {
  CreateScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from "@aws-sdk/client-scheduler";
import { SESClient, VerifyEmailIdentityCommand } from "@aws-sdk/client-ses";
import { expect, test } from "vitest";
import { pinForm, pinIn } from "../../../infra/local/aws/message-pin.ts";
import { functionNameOf } from "../../../infra/stages/names.ts";
import { importRecords } from "../../../infra/tools/import/import-records.ts";
import { companyLine, invoiceLine, jobLine, userLine } from "../../support/records/records.ts";
import { send } from "../../support/requests/http-client.ts";
import { adoptedStage } from "./adopted-stage.ts";
import type { DeployedStage } from "./deployed-stage.ts";
import { added, nextService, removed } from "./next-service.ts";

const firstRecords = {
  admin: "admin@workforce.example",
  operator: "operator@workforce.example",
  driversPhone: "+447400123456",
  invoices: 25,
};

const passwords = { first: "seven quiet harbours", second: "eight quiet harbours" };
const reading = { timeout: 60_000, interval: 200 };

/** Has vitest run what people and other systems do with a stage, in this order. */
export function testJourneys(stage: () => DeployedStage): void {
  const request = (method: string, path: string, options: { body?: object; bearer?: string } = {}) =>
    send(stage().baseUrl, method, path, options);

  const signIn = async (login: string, password: string): Promise<string> => {
    const answer = await request("POST", "/api/v1/users/sign_in", { body: { user: { login, password } } });
    expect(answer.status).toBe(200);
    return answer.body.token.access_token;
  };

  test("the service is well, publishes the key that its deploy made, and words its own refusals", async () => {
    expect(await request("GET", "/api/v1/health")).toMatchObject({ status: 200, body: { status: "ok" } });
    const { body } = await request("GET", "/.well-known/jwks.json");
    expect(body.keys).toHaveLength(1);
    const unknown = await request("GET", "/api/v1/nothing");
    expect(unknown).toMatchObject({ status: 404, body: { code: "route_not_found" } });
    const anonymous = await request("GET", "/api/v1/finance/invoices");
    expect(anonymous).toMatchObject({ status: 401, body: { code: "token_missing" } });
  });

  test("the first records come in by import; the stream counts them", async () => {
    const lines = [
      companyLine(1),
      userLine(1, { email: firstRecords.admin, role: "admin", financial_company_id: null, password: passwords.first }),
      userLine(2, { email: firstRecords.operator, password: passwords.first }),
      userLine(3, { role: "driver", email: null, phone_number: firstRecords.driversPhone }),
      ...Array.from({ length: firstRecords.invoices - 1 }, (_, at) => invoiceLine(at + 2, 1)),
    ];
    const importLines = async (some: object[], now: Date) => {
      const source = Readable.from(some.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)));
      expect(await importRecords({ source, now })).toMatchObject({ created: some.length, failed: 0 });
    };
    await importLines(lines, new Date());
    // Still pending, as it was on its due date.
    await importLines([invoiceLine(1, 1, { due_date: "2020-01-01" })], new Date("2020-01-01T12:00:00Z"));
    const bearer = await signIn(firstRecords.operator, passwords.first);
    const list = () => request("GET", "/api/v1/finance/invoices", { bearer });
    await expect.poll(async () => (await list()).headers.get("total"), reading).toBe(String(firstRecords.invoices));
    expect((await list()).body.invoices).toHaveLength(20);
  });

  test("a lost password is replaced with a pin in an e-mail, and its owner is notified of it", async () => {
    const login = firstRecords.admin;
    await verifyAddresses([adoptedStage.senderAddress, login, firstRecords.operator]);
    expect((await request("POST", "/api/v1/users/password", { body: { user: { login } } })).status).toBe(200);
    const pin = pinIn(await stage().messageTo(login, pinForm));
    const confirmed = await request("POST", "/api/v1/users/confirmation", { body: { user: { login, pin } } });
    const { reset_password_token } = confirmed.body.user;
    const user = { reset_password_token, password: passwords.second, password_confirmation: passwords.second };
    expect((await request("PUT", "/api/v1/users/password", { body: { user } })).status).toBe(200);
    await stage().messageTo(login, /password .*changed/i);
    await signIn(login, passwords.second);
  });

  test("a phone is sent its pin by SMS", async () => {
    const login = firstRecords.driversPhone;
    expect((await request("POST", "/api/v1/users/password", { body: { user: { login } } })).status).toBe(200);
    expect(await stage().messageTo(login)).toMatch(pinForm);
  });

  test("a job that another system puts on the event bus is notified to its company's operator once", async () => {
    const bearer = await signIn(firstRecords.operator, passwords.first);
    const detail = JSON.stringify({ ...jobLine(7, 1), event_id: "job-7-1", version: 1 });
    const entry = { EventBusName: stage().eventBusName, Source: "rota.example", DetailType: "Record", Detail: detail };
    const bus = new EventBridgeClient();
    expect((await bus.send(new PutEventsCommand({ Entries: [entry, entry] }))).FailedEntryCount).toBe(0);
    bus.destroy();
    const notified = async () => {
      const { body } = await request("GET", "/api/v1/users/notifications", { bearer });
      return body.notifications.map((each: { record_type: string; record_id: number }) => [
        each.record_type,
        each.record_id,
      ]);
    };
    await expect.poll(notified, reading).toEqual([["Job", 7]]);
    const jobs = () => request("GET", "/api/v1/jobs", { bearer });
    await expect.poll(async () => (await jobs()).headers.get("total"), reading).toBe("1");
  });

  test("each daily schedule leads to its function: the overdue invoice becomes overdue, the signing key stays", async () => {
    const bearer = await signIn(firstRecords.operator, passwords.first);
    const keys = (await request("GET", "/.well-known/jwks.json")).body;
    const scheduler = new SchedulerClient();
    const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand());
    expect(Schedules.length).toBeGreaterThan(1);
    for (const { Name } of Schedules) {
      const { Target } = await scheduler.send(new GetScheduleCommand({ Name }));
      const moment = new Date().toISOString().slice(0, 19);
      const once = { ScheduleExpression: `at(${moment})`, FlexibleTimeWindow: { Mode: "OFF" } } as const;
      await scheduler.send(new CreateScheduleCommand({ Name: `${Name?.slice(0, 50)}-once`, Target, ...once }));
    }
    scheduler.destroy();
    const overdue = () => request("GET", "/api/v1/finance/invoices?by_state=overdue", { bearer });
    const ids = async () => (await overdue()).body.invoices.map(({ id }: { id: number }) => id);
    await expect.poll(ids, reading).toEqual([1]);
    expect((await request("GET", "/.well-known/jwks.json")).body).toEqual(keys);
  });

  test("nothing waits in a dead-letter queue", async () => {
    const waiting = [...(await stage().waiting())].filter(([name]) =>
      /DeadLetters|Undelivered|StreamQuarantine/.test(name),
    );
    expect(waiting.length).toBeGreaterThan(5);
    expect(waiting.filter(([, count]) => count > 0)).toEqual([]);
  });
}

/** Has vitest see that a deploy of the next version changed what runs, and nothing that is kept. */
export function testUpdate(stage: () => DeployedStage, deployNext: () => Promise<string>): void {
  test("an update of every function keeps records, logins, passwords and keys", async () => {
    const { baseUrl, messageTo } = stage();
    expect((await send(baseUrl, added.method, added.path)).status).toBe(404);
    expect(await functionNames()).toContain(functionNameOf(adoptedStage.name, removed.name));
    const keys = await send(baseUrl, "GET", "/.well-known/jwks.json");
    const nextServiceName = await deployNext();
    expect((await send(baseUrl, "GET", "/.well-known/jwks.json")).body).toEqual(keys.body);
    const login = firstRecords.operator;
    const user = { login, password: passwords.first };
    const { body } = await send(baseUrl, "POST", "/api/v1/users/sign_in", { body: { user } });
    const list = await send(baseUrl, "GET", "/api/v1/finance/invoices", { bearer: body.token.access_token });
    expect(list.headers.get("total")).toBe(String(firstRecords.invoices));
    expect((await send(baseUrl, "POST", "/api/v1/users/password", { body: { user: { login } } })).status).toBe(200);
    expect(await messageTo(login, pinForm)).toContain(nextServiceName);
  });

  test("the operation that the update adds answers, and the one that it removes is no route", async () => {
    const { baseUrl } = stage();
    expect(await send(baseUrl, added.method, added.path)).toMatchObject({ status: 200, body: { status: "ok" } });
    const refusal = { status: 404, body: { code: "route_not_found" } };
    expect(await send(baseUrl, removed.method, removed.path, { body: {} })).toMatchObject(refusal);
    // The stage has no canaries, and so no probe of releases.
    const deployed = Object.keys(nextService.functions).filter((name) => name !== "probe-release");
    const wanted = deployed.map((name) => functionNameOf(adoptedStage.name, name));
    const ours = (await functionNames()).filter((name) => name.startsWith(functionNameOf(adoptedStage.name, "")));
    expect(ours.toSorted()).toEqual(wanted.toSorted());
  });
}

async function functionNames(): Promise<string[]> {
  const client = new LambdaClient();
  const names: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client }, {}))
    names.push(...Functions.map(({ FunctionName = "" }) => FunctionName));
  client.destroy();
  return names;
}

/** Verifies addresses, as a new account must: SES sends from and, until it trusts the account, to verified addresses only. */
async function verifyAddresses(addresses: readonly string[]): Promise<void> {
  const ses = new SESClient();
  for (const EmailAddress of addresses) await ses.send(new VerifyEmailIdentityCommand({ EmailAddress }));
  ses.destroy();
}

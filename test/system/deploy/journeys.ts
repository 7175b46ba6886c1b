import {
  CreateScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from "@aws-sdk/client-scheduler";
import { SESClient, VerifyEmailIdentityCommand } from "@aws-sdk/client-ses";
import { expect, test } from "vitest";
import { pinForm } from "../../../infra/local/message-pin.ts";
import { functionNameOf } from "../../../infra/stages/names.ts";
import { companyLine, invoiceLine, userLine } from "../../support/records/records.ts";
import { send, signIn } from "../../support/requests/http-client.ts";
import { adoptedStage } from "./adopted-stage.ts";
import { listFunctions } from "./deployed-resources.ts";
import { type DeployedStage, importLines } from "./deployed-stage.ts";
import { added, nextService, removed } from "./next-service.ts";

const firstRecords = { operator: "operator@workforce.example", invoices: 25 };
const password = "seven quiet harbours";
const reading = { timeout: 60_000, interval: 200 };

/** Has vitest run what people and other systems do with a stage, in this order. */
export function testJourneys(stage: () => DeployedStage): void {
  const get = (path: string, bearer?: string) => send(stage().baseUrl, "GET", path, { bearer });

  const signInOperator = () => signIn(stage().baseUrl, firstRecords.operator, password);

  test("the first records come in by import; the stream counts them", async () => {
    const lines = [
      companyLine(1),
      userLine(2, { email: firstRecords.operator, password }),
      ...Array.from({ length: firstRecords.invoices - 1 }, (_, at) => invoiceLine(at + 2, 1)),
    ];
    await importLines(lines);
    await verifyAddresses([adoptedStage.senderAddress, firstRecords.operator]);
    // Still pending, as it was on its due date.
    await importLines([invoiceLine(1, 1, { due_date: "2020-01-01" })], new Date("2020-01-01T12:00:00Z"));
    const bearer = await signInOperator();
    const list = () => get("/api/v1/finance/invoices", bearer);
    await expect.poll(async () => (await list()).headers.get("total"), reading).toBe(String(firstRecords.invoices));
    expect((await list()).body.invoices).toHaveLength(20);
  });

  test("each daily schedule leads to its function: the overdue invoice becomes overdue, the signing key stays", async () => {
    const bearer = await signInOperator();
    const keys = (await get("/.well-known/jwks.json")).body;
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
    const overdue = () => get("/api/v1/finance/invoices?by_state=overdue", bearer);
    const ids = async () => (await overdue()).body.invoices.map(({ id }: { id: number }) => id);
    await expect.poll(ids, reading).toEqual([1]);
    expect((await get("/.well-known/jwks.json")).body).toEqual(keys);
  });
}

/** Has vitest see that a deploy of the next version changed what runs, and nothing that is kept. */
export function testUpdate(stage: () => DeployedStage, deployNext: () => Promise<string>): void {
  test("nothing waits in a dead-letter queue", async () => {
    const waiting = [...(await stage().waiting())].filter(([name]) =>
      /DeadLetters|Undelivered|StreamQuarantine/.test(name),
    );
    expect(waiting.length).toBeGreaterThan(5);
    expect(waiting.filter(([, count]) => count > 0)).toEqual([]);
  });

  test("an update of every function keeps records, logins, passwords and keys", async () => {
    const { baseUrl, mails } = stage();
    expect((await send(baseUrl, added.method, added.path)).status).toBe(404);
    expect(await listFunctions()).toContain(functionNameOf(adoptedStage.name, removed.name));
    const keys = await send(baseUrl, "GET", "/.well-known/jwks.json");
    const nextServiceName = await deployNext();
    expect((await send(baseUrl, "GET", "/.well-known/jwks.json")).body).toEqual(keys.body);
    const login = firstRecords.operator;
    const bearer = await signIn(baseUrl, login, password);
    const list = await send(baseUrl, "GET", "/api/v1/finance/invoices", { bearer });
    expect(list.headers.get("total")).toBe(String(firstRecords.invoices));
    expect((await send(baseUrl, "POST", "/api/v1/users/password", { body: { user: { login } } })).status).toBe(200);
    expect((await mails.messageTo(login, pinForm)).text).toContain(nextServiceName);
  });

  test("the operation that the update adds answers, and the one that it removes is no route", async () => {
    const { baseUrl } = stage();
    expect(await send(baseUrl, added.method, added.path)).toMatchObject({ status: 200, body: { status: "ok" } });
    const refusal = { status: 404, body: { code: "route_not_found" } };
    expect(await send(baseUrl, removed.method, removed.path, { body: {} })).toMatchObject(refusal);
    const wanted = Object.keys(nextService.functions).map((name) => functionNameOf(adoptedStage.name, name));
    const ours = (await listFunctions()).filter((name) => name.startsWith(functionNameOf(adoptedStage.name, "")));
    expect(ours.toSorted()).toEqual(wanted.toSorted());
  });
}

/** Verifies addresses, as a new account must: SES sends from and, until it trusts the account, to verified addresses only. */
async function verifyAddresses(addresses: readonly string[]): Promise<void> {
  const ses = new SESClient();
  for (const EmailAddress of addresses) await ses.send(new VerifyEmailIdentityCommand({ EmailAddress }));
  ses.destroy();
}

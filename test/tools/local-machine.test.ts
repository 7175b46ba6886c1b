import { DeleteMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { type MachineFile, readMachineFile } from "../../infra/local/local-aws.ts";
import { localCredentials } from "../../infra/runtime/aws/local-credentials.ts";
import { queueUrl } from "../../infra/runtime/aws/sqs.ts";
import { withClient } from "../../infra/runtime/aws/with-client.ts";
import { askLocal } from "../../infra/tools/local.ts";
import { countMessage } from "../../shared/people/message-limits.ts";
import { scanItems } from "../support/records/items.ts";
import { failPasswords, failuresOf, passwordsAt } from "../support/requests/passwords.ts";
import { storedPin, storeMadePin } from "../support/requests/pins.ts";
import { runTool, useMachine } from "./machine.ts";

const directory = useMachine();
let machine: MachineFile;
beforeAll(() => {
  machine = readMachineFile(directory) as MachineFile;
});
afterEach(() => void vi.restoreAllMocks());

const ask = (...parameters: string[]) => runTool(() => askLocal(parameters, directory));

/** Puts messages into the first queue of the stack whose name begins so. */
async function send(start: string, ...bodies: string[]): Promise<void> {
  const { AWS_ENDPOINT_URL_SQS: endpoint = "", AWS_REGION: region = "" } = machine.environment;
  const name = machine.stack.queues.find((queue) => queue.name.startsWith(start))?.name ?? "";
  await withClient(new SQSClient({ endpoint, region, credentials: localCredentials }), async (client) => {
    for (const MessageBody of bodies) {
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl(endpoint, name), MessageBody }));
    }
  });
}

const stateOf = async (name: string) => new RegExp(`^${name} +(.*)$`, "m").exec((await ask("queues")).out)?.[1];

test("a queue's failed messages are counted until they are sent again; one without a worker keeps its own", async () => {
  await send("PushesDeadLetters", "{}", "{}");
  await send("IntakeBusUndelivered", "{}");
  for (const _ of ["first", "second"]) expect(await stateOf("Pushes")).toMatch(/ 2 failed$/);
  expect(await stateOf("IntakeBusUndelivered")).toBe("0 waiting, 0 in work, 1 failed");
  expect(await ask("redrive", "Pushes")).toEqual({ code: 0, out: "2 sent again\n", err: "" });
  expect(await stateOf("Pushes")).toMatch(/ 0 failed$/);
  const names = "Events, Intake, Notices, Notifications, Pins, Pushes, Totals";
  await expect(ask("redrive", "IntakeBusUndelivered")).rejects.toThrow(`say one of ${names}.`);
});

test.each([
  ["sent again", SendMessageCommand],
  ["deleted", DeleteMessageCommand],
])("a failed message that cannot be %s is said, and stays", async (_, refused) => {
  await send("PinsDeadLetters", "{}");
  const { send: call } = SQSClient.prototype;
  const sending = vi.spyOn(SQSClient.prototype, "send").mockImplementation(function (this: SQSClient, command: object) {
    return command instanceof refused ? Promise.reject(new Error("refused")) : Reflect.apply(call, this, [command]);
  } as never);
  await expect(ask("redrive", "Pins")).rejects.toThrow("refused");
  const deleted = sending.mock.calls.filter(([command]) => (command as object) instanceof DeleteMessageCommand);
  expect(deleted).toHaveLength(refused === DeleteMessageCommand ? 1 : 0);
});

test("the schedules have their times, and each is run by the machine; another function is not", async () => {
  expect((await ask("schedules")).out).toMatch(/^mark-overdue +daily at 00:00, Europe\/London$/m);
  expect(await ask("run", "mark-overdue")).toEqual({ code: 0, out: "mark-overdue ran\n", err: "" });
  await expect(ask("run", "sign-in")).rejects.toThrow("No schedule calls sign-in.");
});

test("the engine's address is that of the table", async () => {
  expect((await ask("dynamodb")).out).toBe(`${machine.environment.AWS_ENDPOINT_URL_DYNAMODB}\n`);
});

test("every limit begins again: logins, addresses and messages; all else stays", async () => {
  const { login } = demoUsers.driver;
  await failPasswords(login, 1, "198.51.100.4");
  await storeMadePin(login, 1, { hmac: "h", salt: "s" });
  const sms = { channel: "sms", perDay: 1, client: undefined, registers: false } as const;
  expect(await countMessage(sms, new Date())).toBe(1);
  const before = await keptItems();
  expect((await ask("limits")).out).toMatch(/^[1-9]\d* counts are forgotten\n$/);
  expect([await passwordsAt(login), await failuresOf("198.51.100.4"), await storedPin(login)]).toEqual([
    0,
    0,
    undefined,
  ]);
  expect(await countMessage(sms, new Date())).toBe(1);
  const after = await keptItems();
  // The demo records alone: how many of them are counted by now is up to the workers.
  expect(before.size).toBeGreaterThan(500);
  expect([...before].filter((key) => !after.has(key))).toEqual([]);
});

/** The keys of all items that no limit counts by. */
async function keptItems(): Promise<Set<string>> {
  return new Set([...(await scanItems()).keys()].filter((name) => !/^\["(LIMIT|PIN)#/.test(name)));
}

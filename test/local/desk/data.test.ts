import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { changeDesk, readDesk } from "../../../infra/local/desk/answers.ts";
import { isBad, type ResourcesView } from "../../../infra/local/desk/views.ts";
import { startQueues } from "../../../infra/runtime/aws/sqs.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { deskSources } from "./happenings.ts";

afterEach(() => void vi.restoreAllMocks());

type Sources = ReturnType<typeof deskSources>;
const readData = async (sources: Sources) => (await readDesk("data", new URLSearchParams(), sources)) as ResourcesView;
const stackWith = (more: object) => ({ ...deskSources().stack, ...more }) as Sources["stack"];

test("each worker is as far behind as the desk is ahead", async () => {
  const path = newFolder();
  const streamMappings = ["notify", "recent", "ahead", "new-one"].map((functionName) => ({ functionName }));
  const stack = stackWith({ streamMappings });
  for (const [name, after] of [
    ["desk", "500"],
    ["notify", "299"],
    ["recent", "300"],
    ["ahead", "501"],
  ]) {
    writeFileSync(join(path, `${name}.json`), JSON.stringify({ place: { after } }));
  }
  const { stream } = await readData(deskSources({ stack, placesDirectory: path }));
  expect(stream).toEqual([
    { name: "notify", about: "after change 299", chips: [{ words: "201 behind", look: "bad" }] },
    { name: "recent", about: "after change 300", chips: [{ words: "200 behind", look: "warn" }] },
    { name: "ahead", about: "after change 501", chips: [{ words: "up to date", look: "good" }] },
    { name: "new-one", about: "after the beginning", chips: [{ words: "up to date", look: "good" }] },
  ]);
  expect(stream.filter(isBad).map(({ name }) => name)).toEqual(["notify"]);
});

/** The sources of a desk with a failed message of the queue `worked`, and two messages in one that has no worker. */
async function startFailed(): Promise<Sources> {
  const queues = await startQueues("eu-west-1");
  onTestFinished(queues.close);
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: "arn:aws:sqs:eu-west-1:0:dead", maxReceiveCount: 3 });
  const definitions = ["dead", worked, undelivered].map((name) => ({ name, attributes: {} }));
  await queues.create(definitions);
  for (const name of ["dead", undelivered, undelivered]) await queues.send(name, '{"pin":"123456"}');
  const stack = stackWith({
    queues: definitions.map((each) => (each.name === worked ? { ...each, attributes: { RedrivePolicy } } : each)),
    mappings: [{ queueName: worked }],
  });
  const environment = { AWS_ENDPOINT_URL_SQS: queues.endpoint, AWS_REGION: "eu-west-1" };
  return deskSources({ stack, environment });
}

const [worked, undelivered] = ["WorkedQueue0A1B2C3D", "LostEventsQueue0A1B2C3D"];
const redrive = (sources: Sources, queue = worked) => changeDesk("redrive", { queue }, sources);

test("a queue has its failed messages, at each look again, until they are sent again; one without a worker keeps its own", async () => {
  const sources = await startFailed();
  const failed = { words: "1 failed", look: "bad" };
  const none = { words: "0 failed", look: "" };
  for (const _ of ["first", "second"]) {
    const { queues } = await readData(sources);
    expect(queues).toMatchObject([
      { name: "Lost events", about: "keeps what no queue took", chips: [{ words: "2 failed", look: "bad" }] },
      {
        name: "Worked",
        about: "0 in work",
        chips: [{ words: "0 waiting", look: "" }, failed],
        action: { isIdle: false },
        messages: [{ body: '{"pin":"(masked)"}' }],
      },
    ]);
    expect(queues.flatMap(({ messages = [] }) => messages)).toHaveLength(3);
    expect(Date.now() - Number(queues[1]?.messages?.[0]?.sentAt)).toBeLessThan(60_000);
  }
  expect(await redrive(sources)).toEqual({ done: "1 sent again" });
  expect((await readData(sources)).queues[1]).toMatchObject({
    chips: [{ words: "1 waiting", look: "warn" }, none],
    action: { isIdle: true },
    messages: [],
  });
  await expect(redrive(sources, undelivered)).rejects.toThrow("Lost");
});

test.each([
  ["shown again", ChangeMessageVisibilityBatchCommand, readData],
  ["sent again", SendMessageCommand, redrive],
  ["deleted", DeleteMessageCommand, redrive],
])("a failed message that cannot be %s is said", async (_, refused, act: (sources: Sources) => Promise<unknown>) => {
  const sources = await startFailed();
  const { send } = SQSClient.prototype;
  const sending = vi.spyOn(SQSClient.prototype, "send").mockImplementation(function (this: SQSClient, command: object) {
    return command instanceof refused ? Promise.reject(new Error("refused")) : Reflect.apply(send, this, [command]);
  } as never);
  await expect(act(sources)).rejects.toThrow("refused");
  const isDeleted = sending.mock.calls.some(([command]) => (command as object) instanceof DeleteMessageCommand);
  expect(isDeleted).toBe(refused === DeleteMessageCommand);
});

test("the schedules have their time, and each may be called now", async () => {
  const schedules = [{ functionName: "mark-overdue", hour: 0, minute: 5, timeZone: "Europe/London" }];
  expect((await readData(deskSources({ stack: stackWith({ schedules }) }))).schedules).toMatchObject([
    {
      name: "mark-overdue",
      about: "daily at 00:05, Europe/London",
      action: { path: "run", what: { function: "mark-overdue" } },
    },
    { action: { path: "limits" } },
  ]);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startQueues } from "../../../infra/local/aws/sqs.ts";
import { changeDesk, readDesk } from "../../../infra/local/desk/answers.ts";
import type { ResourcesView } from "../../../infra/local/desk/views.ts";
import { makeTemporaryFolder } from "../../../infra/local/temporary-folder.ts";
import { deskSources } from "./happenings.ts";

type Sources = ReturnType<typeof deskSources>;
const readData = async (sources: Sources) => (await readDesk("data", new URLSearchParams(), sources)) as ResourcesView;
const stackWith = (more: object) => ({ ...deskSources().stack, ...more }) as Sources["stack"];

test("each worker is as far behind as the desk is ahead", async () => {
  const { path, remove } = makeTemporaryFolder("places");
  try {
    const stack = stackWith({ streamMappings: [{ functionName: "notify" }, { functionName: "new-one" }] });
    for (const [name, after] of [
      ["desk", "500"],
      ["notify", "100"],
    ]) {
      writeFileSync(join(path, `${name}.json`), JSON.stringify({ place: { after } }));
    }
    const { consumers } = await readData(deskSources({ stack, placesDirectory: path }));
    expect(consumers).toEqual([
      { functionName: "notify", after: "100", behind: 400 },
      { functionName: "new-one", after: "the beginning", behind: null },
    ]);
  } finally {
    remove();
  }
});

test("a queue has its failed messages, at each look again, until they are sent again; one without a worker keeps its own", async () => {
  const queues = await startQueues("eu-west-1");
  try {
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: "arn:aws:sqs:eu-west-1:0:dead", maxReceiveCount: 3 });
    const definitions = ["dead", "worked", "undelivered"].map((name) => ({ name, attributes: {} }));
    await queues.create(definitions);
    for (const name of ["dead", "undelivered", "undelivered"]) await queues.send(name, '{"pin":"123456"}');
    const stack = stackWith({
      queues: definitions.map((each) => (each.name === "worked" ? { ...each, attributes: { RedrivePolicy } } : each)),
      mappings: [{ queueName: "worked" }],
    });
    const sources = deskSources({
      stack,
      environment: { AWS_ENDPOINT_URL_SQS: queues.endpoint, AWS_REGION: "eu-west-1" },
    });
    const failing = { name: "worked", waiting: 0, inWork: 0, failed: 1, messages: [{ body: '{"pin":"(masked)"}' }] };
    for (const _ of ["first", "second"]) {
      expect((await readData(sources)).queues).toMatchObject([
        failing,
        { name: "undelivered", waiting: null, failed: 2 },
      ]);
    }
    expect(await changeDesk("redrive", { queue: "worked" }, sources)).toEqual({ count: 1 });
    expect((await readData(sources)).queues[0]).toMatchObject({ waiting: 1, failed: 0, messages: [] });
    await expect(changeDesk("redrive", { queue: "undelivered" }, sources)).rejects.toThrow("undelivered");
  } finally {
    await queues.close();
  }
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startQueues } from "../../../infra/local/aws/sqs.ts";
import { readDesk } from "../../../infra/local/desk/answers.ts";
import type { HomeView } from "../../../infra/local/desk/views.ts";
import { makeTemporaryFolder } from "../../../infra/local/temporary-folder.ts";
import { addRun, asEvent, deskSources, line, message, requestOf } from "./happenings.ts";

const readHome = async (sources: ReturnType<typeof deskSources>) =>
  (await readDesk("home", new URLSearchParams(), sources)) as HomeView;

test("home has the latest story that succeeded, no sign-in, and what failed, newest first", async () => {
  const sources = deskSources();
  for (const [id, status, functionName] of [
    ["paid", 200, "bulk-update-timesheets"],
    ["signed-in", 200, "sign-in"],
    ["refused", 422, "bulk-update-timesheets"],
    ["broken", 500, "bulk-update-timesheets"],
  ] as const) {
    sources.history.addRequest({ ...requestOf(id), status, functionName });
  }
  const failed = line({ level: "error", message: "fault", request_id: "e-1", code: "fields_invalid" });
  addRun(sources.history, "intake", asEvent(message("e-1", {})), failed, { milliseconds: 0 });
  const home = await readHome(sources);
  expect(home.story?.row.id).toBe("paid");
  expect(home.failed.map(({ id }) => id).sort()).toEqual(["broken", "e-1"]);
});

test("home says how far each worker is behind the desk", async () => {
  const { path, remove } = makeTemporaryFolder("places");
  try {
    const stack = { ...deskSources().stack, streamMappings: [{ functionName: "notify" }, { functionName: "new-one" }] };
    for (const [name, after] of [
      ["desk", "500"],
      ["notify", "100"],
    ]) {
      writeFileSync(join(path, `${name}.json`), JSON.stringify({ place: { after } }));
    }
    const more = { stack: stack as ReturnType<typeof deskSources>["stack"], placesDirectory: path };
    const { consumers } = await readHome(deskSources(more));
    expect(consumers).toEqual([
      { functionName: "notify", after: "100", behind: 400 },
      { functionName: "new-one", after: "the beginning", behind: null },
    ]);
  } finally {
    remove();
  }
});

test("home names a queue that keeps failed messages, at each look again, and none that a worker takes from", async () => {
  const queues = await startQueues("eu-west-1");
  try {
    const definitions = ["failed", "worked"].map((name) => ({ name, attributes: {} }));
    await queues.create(definitions);
    for (const { name } of definitions) await queues.send(name, "{}");
    const stack = { ...deskSources().stack, queues: definitions, mappings: [{ queueName: "worked" }] };
    const environment = { AWS_ENDPOINT_URL_SQS: queues.endpoint, AWS_REGION: "eu-west-1" };
    const sources = deskSources({ stack: stack as ReturnType<typeof deskSources>["stack"], environment });
    for (const _ of ["first", "second"]) {
      expect((await readHome(sources)).queues).toEqual([{ name: "failed", failed: 1 }]);
    }
  } finally {
    await queues.close();
  }
});

test("home shows the newest five of 20 messages, and nothing where nothing happened", async () => {
  const sources = deskSources();
  expect(await readHome(sources)).toMatchObject({ story: null, failed: [], queues: [], messages: [], operator: null });
  for (let at = 0; at < 20; at += 1) {
    sources.inbox.add({ channel: "email", to: "a@b.example", subject: `S${at}`, text: "T", html: null });
  }
  const { messages } = await readHome(sources);
  expect(messages.map(({ subject }) => subject)).toEqual(["S19", "S18", "S17", "S16", "S15"]);
});

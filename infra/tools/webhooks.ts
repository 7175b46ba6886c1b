import { GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import { enableWebhook, findWebhook } from "../../shared/db/webhooks.ts";
import { settings, type WebhookSetting } from "../../shared/settings.ts";
import { attemptDelivery } from "../../shared/webhooks/attempt.ts";
import {
  readWebhookKeys,
  rotated,
  shownSecret,
  signingSecrets,
  writeWebhookKeys,
} from "../../shared/webhooks/webhook-secrets.ts";
import { countMessages } from "../local/aws/sqs.ts";
import { withClient } from "../local/aws/with-client.ts";
import { namesOf } from "../stages/names.ts";
import { flag, readArguments, readWholeNumber, runCommand, text, UsageError, unknownWord } from "./cli/command.ts";
import type { ProgressLine } from "./cli/progress-line.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";
import { type QueueUrls, redeliver } from "./webhooks/redeliver.ts";

/** Receivers change their secret within a working day. */
const usualKeepHours = 24;
/** A secret that signs for longer is not replaced. */
const mostKeepHours = 14 * 24;
const msPerHour = 3_600_000;

const help = `npm run webhooks -- [list] [--stage NAME]
npm run webhooks -- test | secret | enable WEBHOOK [--stage NAME]
npm run webhooks -- rotate WEBHOOK [--keep-hours N] [--stage NAME]
npm run webhooks -- redeliver WEBHOOK --id EVENT | --all [--stage NAME]

The webhooks of a stage, by their names in its settings.

  list            shows each webhook: whether it fails or is disabled, and how many events wait and were given up
  test            sends an event of the type webhook.test from this computer, once, and shows what the receiver answers
  secret          shows the secret that its receiver verifies with: give it to nobody else
  enable          has a webhook that was disabled begin as one that never failed
  rotate          makes another secret, and shows it. The one before signs beside it for a while, so that the receiver takes
                  every event, whichever it knows. Functions keep what they sign with for 5 minutes
  --keep-hours N  how long the one before signs on, 0 to ${mostKeepHours} (${usualKeepHours}); 0 where it leaked
  redeliver       moves events that were given up back to their queue, where each is tried for a day again. Visits each once;
                  an event that is given up again stays. Not while the webhook is disabled
  --id EVENT      the event with that id: webhook-id in what the receiver got, event_id in the log
  --all           every event
  --stage NAME    a stage in AWS, with credentials of an administrator; without it the local machine, which sends no events
                  to webhooks
`;

const words = ["list", "test", "secret", "enable", "rotate", "redeliver"] as const;

type Word = (typeof words)[number];

interface Call {
  readonly stage: string | undefined;
  readonly keepHours: number;
  readonly id: string | undefined;
  readonly progress: ProgressLine;
}

const work: Readonly<Record<Exclude<Word, "list">, (webhook: WebhookSetting, call: Call) => Promise<number>>> = {
  test: sendTest,
  secret: async ({ name }) => say(shownSecret(await readWebhookKeys({ fresh: true }), name)),
  enable: async ({ name }) => {
    await enableWebhook(name);
    return say(`${name} is enabled, as one that never failed.`);
  },
  rotate: rotateSecret,
  redeliver: redeliverEvents,
};

if (import.meta.main) await runCommand((parameters) => manageWebhooks(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function manageWebhooks(parameters: string[], directory: string): Promise<number> {
  const options = { stage: text, id: text, all: flag, "keep-hours": text };
  const call = readArguments("webhooks", help, { args: parameters, options, allowPositionals: true });
  const [typed = "list", name, ...others] = call.positionals;
  const word = words.find((each) => each === typed);
  if (!word) throw unknownWord("command", typed, words);
  if (others.length > 0) throw new UsageError("Say one thing at a time (npm run webhooks -- --help)");
  const { stage, id, all = false, "keep-hours": keep = usualKeepHours } = call.values;
  if ((word === "redeliver") !== (id !== undefined || all) || (id !== undefined && all)) {
    throw new UsageError("Say what is to be delivered again: redeliver WEBHOOK --id EVENT, or --all");
  }
  const keepHours = readWholeNumber("keep-hours", keep, 0, mostKeepHours);
  return withService({ stage, directory }, (_, progress) =>
    word === "list" ? showAll() : work[word](findSetting(name), { stage, id, keepHours, progress }),
  );
}

function findSetting(name = ""): WebhookSetting {
  const all = settings.webhooks();
  const found = all.find((each) => each.name === name);
  if (found) return found;
  const names = all.map((each) => each.name);
  throw names.length === 0 ? new UsageError("The stage has no webhooks.") : unknownWord("webhook", name, names);
}

async function showAll(): Promise<number> {
  const all = settings.webhooks();
  if (all.length === 0) return say("The stage has no webhooks.");
  const keys = await readWebhookKeys({ fresh: true });
  for (const webhook of all) {
    const [open, given] = await withQueues(webhook, (client, urls) =>
      Promise.all([countMessages(client, urls.queueUrl), countMessages(client, urls.deadLettersUrl)]),
    );
    const { health } = await findWebhook(webhook);
    const secrets = signingSecrets(keys, webhook.name, new Date()).length;
    say(`${webhook.name}: ${webhook.url}`);
    say(`  ${describe(health)}; signs with ${secrets === 1 ? "one secret" : "two secrets"}`);
    say(`  about ${open.waiting + open.held} events wait, ${given.waiting + given.held} were given up`);
  }
  return 0;
}

function describe(health: Awaited<ReturnType<typeof findWebhook>>["health"]): string {
  if (!health) return "delivers";
  const since = `fails since ${health.failing_since}`;
  return health.disabled_at === undefined ? since : `disabled since ${health.disabled_at}, ${since}`;
}

async function sendTest(webhook: WebhookSetting, { stage = "local" }: Call): Promise<number> {
  const now = new Date();
  const event = {
    specversion: "1.0",
    id: crypto.randomUUID().replaceAll("-", ""),
    source: namesOf(stage).eventSource,
    type: "webhook.test",
    time: now.toISOString(),
    subject: `webhook/${webhook.name}`,
    datacontenttype: "application/json",
    data: {},
  };
  const { isDelivered, result } = await attemptDelivery(webhook, event, now);
  const answer = "status" in result ? `The receiver answered ${result.status}` : `No answer: ${result.code}`;
  say(`${answer}; the event's id is ${event.id}.`);
  return isDelivered ? 0 : 1;
}

async function rotateSecret({ name }: WebhookSetting, { keepHours }: Call): Promise<number> {
  const until = new Date(Date.now() + keepHours * msPerHour);
  const keys = rotated(await readWebhookKeys({ fresh: true }), name, until);
  await writeWebhookKeys(keys);
  process.stderr.write(`The secret before signs beside the new one until ${until.toISOString()}. The new one:\n`);
  return say(shownSecret(keys, name));
}

async function redeliverEvents(webhook: WebhookSetting, { id, progress }: Call): Promise<number> {
  const { health } = await findWebhook(webhook);
  if (health?.disabled_at !== undefined) {
    throw new Error(`${webhook.name} is disabled, and what is sent to it is given up: enable it first.`);
  }
  const { visited, moved } = await withQueues(webhook, (client, urls) =>
    redeliver(client, urls, { eventId: id, onProgress: progress.show }),
  );
  progress.end();
  say(`${moved} of ${visited} dead letters are on their way again.`);
  return id !== undefined && moved === 0 ? 1 : 0;
}

function withQueues<T>(webhook: WebhookSetting, work: (client: SQSClient, urls: QueueUrls) => Promise<T>): Promise<T> {
  // Calls the configured endpoint, not the one in the queue's address.
  return withClient(new SQSClient({ useQueueUrlAsEndpoint: false }), async (client) => {
    const urlOf = async (QueueName: string) =>
      (await client.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl ?? "";
    const [queueUrl, deadLettersUrl] = await Promise.all([urlOf(webhook.queue), urlOf(webhook.deadLetters)]);
    return work(client, { queueUrl, deadLettersUrl });
  });
}

function say(line: string): number {
  process.stdout.write(`${line}\n`);
  return 0;
}

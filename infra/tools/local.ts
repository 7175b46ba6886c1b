import { setTimeout as pause } from "node:timers/promises";
import { pinRules } from "../../shared/people/pins.ts";
import { enterEnvironment, type MachineFile, readMachineFile } from "../local/local-aws.ts";
import { readQueues, redrive } from "../local/machine-queues.ts";
import { pinIn } from "../local/message-pin.ts";
import { resetLimits } from "../local/reset-limits.ts";
import type { InboxEntry } from "../runtime/aws/inbox.ts";
import { readArguments, runCommand, UsageError, unknownWord } from "./cli/command.ts";
import { localDirectory } from "./service/local-service.ts";

const help = `npm run -s local -- url | dynamodb
npm run -s local -- pin LOGIN | reset-token LOGIN
npm run -s local -- queues | redrive QUEUE
npm run -s local -- schedules | run FUNCTION
npm run -s local -- limits

Asks the running local machine, on any port. The first four print a value alone, for scripts.

  url          the base URL
  dynamodb     the address of the table's engine, for a table browser
  pin          requests a pin for the login, and prints it as soon as it is in the inbox; while it is valid and unused the
               same again
  reset-token  requests a pin, confirms it, and prints the reset token
  queues       the queues, with the numbers of messages that wait, are in work, and have failed
  redrive      sends the failed messages of a queue to it again
  schedules    the functions that run on a schedule, with their times
  run          calls such a function now
  limits       forgets every count of pins, passwords, passcodes and messages; the data stays
`;

interface Word {
  /** The name of its value, if it takes one. */
  takes?: string;
  /** Returns the text to print. */
  act(machine: MachineFile, value: string): Promise<string> | string;
}

const words: Readonly<Record<string, Word>> = {
  url: { act: ({ baseUrl }) => baseUrl },
  dynamodb: { act: ({ environment }) => environment.AWS_ENDPOINT_URL_DYNAMODB ?? "" },
  pin: { takes: "LOGIN", act: ({ baseUrl }, login) => requestPin(baseUrl, login) },
  "reset-token": { takes: "LOGIN", act: ({ baseUrl }, login) => requestResetToken(baseUrl, login) },
  queues: { act: listQueues },
  redrive: { takes: "QUEUE", act: async (machine, queue) => `${await redrive(queue, machine)} sent again` },
  schedules: { act: listSchedules },
  run: { takes: "FUNCTION", act: runSchedule },
  limits: { act: forgetLimits },
};
/** A message passes a queue and a worker that may have to start. */
const arrivesWithinMilliseconds = 30_000;
/** A pin that still counts is replaced at once, or not at all. */
const replacedWithinMilliseconds = 3_000;
/** Nobody notices it, and the machine has time for its own work. */
const asksEveryMilliseconds = 100;
/** The life of a pin. */
const pinLifeMs = pinRules.lifeMinutes * 60_000;

if (import.meta.main) await runCommand((parameters) => askLocal(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function askLocal(parameters: string[], directory: string): Promise<number> {
  const call = readArguments("local", help, { args: parameters, allowPositionals: true });
  const [name = "", value, ...others] = call.positionals;
  if (name === "") throw new UsageError(`Say one of ${Object.keys(words).join(", ")} (npm run -s local -- --help)`);
  const word = Object.hasOwn(words, name) ? words[name] : undefined;
  if (!word) throw unknownWord("word", name, Object.keys(words));
  if ((word.takes === undefined) !== (value === undefined) || others.length > 0) {
    throw new UsageError(`npm run -s local -- ${[name, word.takes].join(" ").trim()}`);
  }
  process.stdout.write(`${await word.act(findMachine(directory), value ?? "")}\n`);
  return 0;
}

function findMachine(directory: string): MachineFile {
  const machine = readMachineFile(directory);
  if (!machine) {
    throw new Error(
      `No local machine runs in ${directory}: start it with npm start, or name its folder by WORKFORCE_DIRECTORY.`,
    );
  }
  return machine;
}

async function listQueues(machine: MachineFile): Promise<string> {
  const queues = await readQueues(machine);
  const lines = queues.map(
    ({ name, waiting, held, failed }) => `${name.padEnd(24)}${waiting} waiting, ${held} in work, ${failed} failed`,
  );
  return lines.join("\n");
}

function listSchedules({ stack }: MachineFile): string {
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  const lines = stack.schedules.map(
    ({ functionName, hour, minute, timeZone }) =>
      `${functionName.padEnd(24)}daily at ${twoDigits(hour)}:${twoDigits(minute)}, ${timeZone}`,
  );
  return lines.join("\n");
}

/** The machine itself runs it, so that its console and desk show it. Changes need the token of its start. */
async function runSchedule({ baseUrl }: MachineFile, name: string): Promise<string> {
  const start = await fetch(`${baseUrl}/_local/desk/start`);
  const { deskToken } = (await start.json()) as { deskToken: string };
  const headers = { "x-desk-token": deskToken };
  const body = JSON.stringify({ function: name });
  const answer = await fetch(`${baseUrl}/_local/desk/run`, { method: "POST", headers, body });
  const { message } = (await answer.json()) as { message?: string };
  if (!answer.ok) throw new Error(message);
  return `${name} ran`;
}

async function forgetLimits({ environment }: MachineFile): Promise<string> {
  enterEnvironment(environment);
  return `${await resetLimits()} counts are forgotten`;
}

async function requestPin(base: string, login: string): Promise<string> {
  const earlier = await readInbox(base);
  const answer = await post(`${base}/api/v1/users/password`, { user: { login } });
  // The service says which address it read (D7).
  const { user } = (await answer.json()) as { user: { email: string | null; phone_number: string | null } };
  const to = user.email ?? user.phone_number;
  const [before] = pinsTo(to, earlier);
  // The service replaces no pin that is alive. If no new one arrives, the last one is valid (D9).
  const stillCounts = before && Date.now() - Date.parse(before.sentAt) < pinLifeMs ? before : undefined;
  const deadline = Date.now() + (stillCounts ? replacedWithinMilliseconds : arrivesWithinMilliseconds);
  while (Date.now() < deadline) {
    await pause(asksEveryMilliseconds);
    const [newest] = pinsTo(to, await readInbox(base));
    if (newest && newest.sentAt !== before?.sentAt) return newest.pin;
  }
  if (stillCounts) return stillCounts.pin;
  throw new Error(`No pin for ${login} arrived: no user has this login.`);
}

async function requestResetToken(base: string, login: string): Promise<string> {
  const pin = await requestPin(base, login);
  const answer = await post(`${base}/api/v1/users/confirmation`, { user: { login, pin } });
  const { user } = (await answer.json()) as { user: { reset_password_token: string } };
  return user.reset_password_token;
}

async function readInbox(base: string): Promise<InboxEntry[]> {
  return (await (await fetch(`${base}/_local/inbox`)).json()) as InboxEntry[];
}

function pinsTo(address: string | null, entries: readonly InboxEntry[]): { pin: string; sentAt: string }[] {
  return entries.flatMap(({ to, text, sent_at: sentAt }) => {
    const pin = to === address ? pinIn(text) : undefined;
    return pin === undefined ? [] : [{ pin, sentAt }];
  });
}

/** Sends JSON. Throws the detail of a refusal. */
async function post(url: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.ok) return answer;
  const { detail } = (await answer.json()) as { detail?: string };
  throw new Error(`${answer.status}: ${detail}`);
}

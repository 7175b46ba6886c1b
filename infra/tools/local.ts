import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { InboxEntry } from "../local/aws/inbox.ts";
import { pinIn } from "../local/aws/message-pin.ts";
import { type MachineFile, machineFile } from "../local/local-aws.ts";
import { readArguments, runCommand, UsageError, unknownWord } from "./cli/command.ts";
import { localDirectory } from "./service/local-service.ts";

const help = `npm run -s local -- url
npm run -s local -- pin LOGIN
npm run -s local -- reset-token LOGIN

Prints values for scripts from the running local machine, on any port.

  url          the base URL
  pin          requests a pin for the login, and prints it as soon as it is in the inbox; within a minute the same again,
               while it is unused
  reset-token  requests a pin, confirms it, and prints the reset token
  --help       show this

If the service asks for a pause of up to a minute, the command waits.
`;

const words = { url: async (base: string) => base, pin: requestPin, "reset-token": requestResetToken } as const;
const arrivesWithinMilliseconds = 30_000;
const replacedWithinMilliseconds = 3_000;

if (import.meta.main) await runCommand((parameters) => askLocal(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function askLocal(parameters: string[], directory: string): Promise<number> {
  const call = readArguments("local", help, { args: parameters, allowPositionals: true });
  if (!call) return 0;
  const [word = "", login, ...others] = call.positionals;
  if (word === "") throw new UsageError(`Say one of ${Object.keys(words).join(", ")} (npm run -s local -- --help)`);
  if (!(word in words)) throw unknownWord("word", word, Object.keys(words));
  if ((word === "url") !== (login === undefined) || others.length > 0) {
    throw new UsageError(`npm run -s local -- ${word === "url" ? "url" : `${word} LOGIN`}`);
  }
  process.stdout.write(`${await words[word as keyof typeof words](baseUrl(directory), login ?? "")}\n`);
  return 0;
}

function baseUrl(directory: string): string {
  const file = machineFile(directory);
  if (!existsSync(file)) throw new Error("The local machine does not run: start it with npm start.");
  return (JSON.parse(readFileSync(file, "utf8")) as MachineFile).baseUrl;
}

async function requestPin(base: string, login: string): Promise<string> {
  const [before] = await pinsTo(base, login);
  await post(`${base}/api/v1/users/password`, { user: { login } });
  // Within a minute, the service replaces only a used pin. If no new one arrives, the last one is still valid (D10).
  const stillCounts = before && Date.now() - Date.parse(before.sentAt) < 60_000 ? before : undefined;
  const deadline = Date.now() + (stillCounts ? replacedWithinMilliseconds : arrivesWithinMilliseconds);
  while (Date.now() < deadline) {
    const [newest] = await pinsTo(base, login);
    if (newest && newest.sentAt !== before?.sentAt) return newest.pin;
    await pause(100);
  }
  if (stillCounts) return stillCounts.pin;
  throw new Error(`No pin for ${login} arrived: no user has this login as it is written here.`);
}

async function requestResetToken(base: string, login: string): Promise<string> {
  const pin = await requestPin(base, login);
  const answer = await post(`${base}/api/v1/users/confirmation`, { user: { login, pin } });
  const { user } = (await answer.json()) as { user: { reset_password_token: string } };
  return user.reset_password_token;
}

/** The pins sent to a login, newest first. */
async function pinsTo(base: string, login: string): Promise<{ pin: string; sentAt: string }[]> {
  const entries = (await (await fetch(`${base}/_local/inbox`)).json()) as InboxEntry[];
  return entries.flatMap(({ to, text, sent_at: sentAt }) => {
    const pin = to === login ? pinIn(text) : undefined;
    return pin === undefined ? [] : [{ pin, sentAt }];
  });
}

/** Sends JSON, and repeats after the time that a 429 names. Throws the detail of a refusal. */
async function post(url: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.ok) return answer;
  const seconds = Number(answer.headers.get("retry-after"));
  const { detail } = (await answer.json()) as { detail?: string };
  const wait = seconds > 0 ? ` Retry-After: ${seconds} seconds.` : "";
  if (answer.status !== 429 || !(seconds > 0 && seconds <= 60)) throw new Error(`${answer.status}: ${detail}${wait}`);
  process.stderr.write(`A pin was requested a moment ago: waiting ${seconds} seconds …\n`);
  await pause(seconds * 1_000);
  return post(url, body);
}

import { setTimeout as pause } from "node:timers/promises";
import { pinRules } from "../../shared/people/pins.ts";
import { readMachineFile } from "../local/local-aws.ts";
import { pinIn } from "../local/message-pin.ts";
import type { InboxEntry } from "../runtime/aws/inbox.ts";
import { readArguments, runCommand, UsageError, unknownWord } from "./cli/command.ts";
import { localDirectory } from "./service/local-service.ts";

const help = `npm run -s local -- url
npm run -s local -- pin LOGIN
npm run -s local -- reset-token LOGIN

Prints values for scripts from the running local machine, on any port.

  url          the base URL
  pin          requests a pin for the login, and prints it as soon as it is in the inbox; while it is valid and unused the
               same again
  reset-token  requests a pin, confirms it, and prints the reset token
`;

const words = { url: async (base: string) => base, pin: requestPin, "reset-token": requestResetToken } as const;
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
  const machine = readMachineFile(directory);
  if (!machine) {
    throw new Error(
      `No local machine runs in ${directory}: start it with npm start, or name its folder by WORKFORCE_DIRECTORY.`,
    );
  }
  return machine.baseUrl;
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

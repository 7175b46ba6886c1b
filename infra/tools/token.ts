import { type KeyAccess, keyAccesses } from "../../shared/contract/operation.ts";
import { demoUsers } from "../local/demo/demo.ts";
import { readArguments, runCommand, textOption, UsageError } from "./cli/command.ts";
import { readStage, stageOptions } from "./service/deployed-stage.ts";
import { makeEngineersKey } from "./service/engineers-key.ts";
import { localDirectory, withLocalService } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";
import { readLogin } from "./service/tool-service.ts";

/** What is made of a stage acts for a real person, so it is short-lived. */
const lives = { local: { usualHours: 24, mostHours: 24 * 365 }, stage: { usualHours: 1, mostHours: 24 } } as const;

const help = `npm run token -- --as LOGIN [--hours N]
npm run token -- --as LOGIN --stage NAME [--access act] [--hours N] [--stages FILE]

Prints a bearer token for a user: on the local machine an access token, on a stage an API key.

  --as LOGIN     e-mail address or phone number of the user
  --hours N      hours that it is valid: on the local machine ${lives.local.usualHours} and up to ${lives.local.mostHours},
                 on a stage ${lives.stage.usualHours} and up to ${lives.stage.mostHours}
  --access act   the key may also pay, undo, adjust and mark; without it, it may only read
  --stage NAME   a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --stages FILE  the file that has the stage (infra/stages/stages.ts)

A key of a stage is first kept in the user's history with the ARN of your credentials (npm run history -- user ID --stage NAME).
The user gets a mail at their address, if they have one, sees the key in their list and can delete it.

  curl -H "Authorization: Bearer $(npm run -s token -- --as LOGIN)" …

Users of the demo data: ${Object.values(demoUsers)
  .map(({ login, role }) => `${login} (${role})`)
  .join(", ")}
`;

if (import.meta.main) await runCommand((parameters) => printToken(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function printToken(parameters: string[], directory: string): Promise<number> {
  const options = { as: textOption, hours: textOption, access: textOption, ...stageOptions };
  const { values } = readArguments("token", help, { args: parameters, options });
  const { as } = values;
  if (!as) throw new UsageError("Say whose token: --as LOGIN (npm run token -- --help)");
  const chosen = readStage(values);
  if (chosen === undefined) {
    if (values.access !== undefined) throw new UsageError("--access goes with --stage NAME: a local token may do all");
    return printLocalToken(as, readHours(values.hours, lives.local), directory);
  }
  const asked = { login: as, access: readAccess(values.access), hours: readHours(values.hours, lives.stage) };
  return withService({ stage: chosen, directory }, async () => {
    const key = await makeEngineersKey(chosen.stage, asked);
    const what = `An API key of ${readLogin(as).value} on the stage ${chosen.stage.name}, valid for ${asked.hours} hours`;
    const may = asked.access === "read" ? "reads as" : "acts as";
    process.stderr.write(`${what}. Anyone who has it ${may} that user until then, or until the user deletes it.\n`);
    process.stdout.write(`${key}\n`);
    return 0;
  });
}

async function printLocalToken(login: string, hours: number, directory: string): Promise<number> {
  return withLocalService(directory, async (service) => {
    const token = await service.mintTokenFor(login, hours);
    const where = `it is valid on the local machine of ${directory} alone`;
    process.stderr.write(`A token of ${readLogin(login).value} for ${hours} hours; ${where}.\n`);
    process.stdout.write(`${token}\n`);
    return 0;
  });
}

function readAccess(text: string = "read"): KeyAccess {
  const access = keyAccesses.find((each) => each === text);
  if (access) return access;
  throw new UsageError(`--access takes ${keyAccesses.join(" or ")}, not "${text}".`);
}

function readHours(text: string | undefined, { usualHours, mostHours }: (typeof lives)["local" | "stage"]): number {
  const hours = Number(text ?? usualHours);
  if (hours > 0 && hours <= mostHours) return hours;
  throw new UsageError(`--hours takes a number above 0 and up to ${mostHours}, not "${text}".`);
}

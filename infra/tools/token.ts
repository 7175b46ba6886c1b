import { demoUsers } from "../local/demo/demo.ts";
import { readArguments, runCommand, textOption, UsageError } from "./cli/command.ts";
import { readStage, stageOptions } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";
import { readLogin, type Service } from "./service/tool-service.ts";

/** A token of a stage acts for a real person and cannot be revoked, so it is short-lived. */
const lives = { local: { usualHours: 24, mostHours: 24 * 365 }, stage: { usualHours: 0.25, mostHours: 1 } } as const;

const help = `npm run token -- --as LOGIN [--hours N] [--stage NAME [--stages FILE]]

Prints a bearer token for a user.

  --as LOGIN     e-mail address or phone number of the user
  --hours N      hours that the token is valid: on the local machine ${lives.local.usualHours} and up to ${lives.local.mostHours},
                 on a stage ${lives.stage.usualHours} and up to ${lives.stage.mostHours}
  --stage NAME   a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --stages FILE  the file that has the stage (infra/stages/stages.ts)

Before it prints a token of a stage, it records who made it and which user it is for; that is kept for 400 days.

  curl -H "Authorization: Bearer $(npm run -s token -- --as LOGIN)" …

Users of the demo data: ${Object.values(demoUsers)
  .map(({ login, role }) => `${login} (${role})`)
  .join(", ")}
`;

if (import.meta.main) await runCommand((parameters) => printToken(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function printToken(parameters: string[], directory: string): Promise<number> {
  const options = { as: textOption, hours: textOption, ...stageOptions };
  const { values } = readArguments("token", help, { args: parameters, options });
  const { as } = values;
  if (!as) throw new UsageError("Say whose token: --as LOGIN (npm run token -- --help)");
  const stage = readStage(values);
  const hours = readHours(values.hours, stage === undefined ? lives.local : lives.stage);
  const mint = async (service: Service) => ({
    login: readLogin(as).value,
    token: await service.mintTokenFor(as, hours),
  });
  const { login, token } = await withService({ stage, directory }, mint);
  process.stderr.write(
    stage === undefined ? describeLocal(login, hours, directory) : describeDeployed(login, stage.stage.name, hours),
  );
  process.stdout.write(`${token}\n`);
  return 0;
}

function describeLocal(login: string, hours: number, directory: string): string {
  return `A token of ${login} for ${hours} hours; it is valid on the local machine of ${directory} alone.\n`;
}

function describeDeployed(login: string, stage: string, hours: number): string {
  const what = `A token of ${login} on the stage ${stage} for ${Math.round(hours * 60)} minutes.`;
  return `${what} Anyone who has it acts as that user until then; it cannot be revoked.\n`;
}

function readHours(text: string | undefined, { usualHours, mostHours }: (typeof lives)["local" | "stage"]): number {
  const hours = Number(text ?? usualHours);
  if (hours > 0 && hours <= mostHours) return hours;
  throw new UsageError(`--hours takes a number above 0 and up to ${mostHours}, not "${text}".`);
}

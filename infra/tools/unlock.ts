import { readArguments, runCommand, textOption, UsageError } from "./cli/command.ts";
import { readStage, stageOptions } from "./service/deployed-stage.ts";
import { forgetGuesses } from "./service/forget-guesses.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";
import { readLogin } from "./service/tool-service.ts";

const help = `npm run unlock -- --login LOGIN [--stage NAME [--stages FILE]]

Forgets what was guessed at a login today: wrong passwords, its pins with their tries, and wrong passcodes of its user. Its
owner can sign in, ask for a pin of six digits and pay at once. Safe to repeat. A login that no user has is limited, too: what was guessed
at it is forgotten as well, and the command ends with 1.

  --login LOGIN  e-mail address or phone number, in any form
  --stage NAME   a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --stages FILE  the file that has the stage (infra/stages/stages.ts)

Ends with 0 when it is open, 1 when no user has the login or it failed, 2 when the call was wrong.
`;

if (import.meta.main) await runCommand((parameters) => unlock(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function unlock(parameters: string[], directory: string): Promise<number> {
  const options = { login: textOption, ...stageOptions };
  const { values } = readArguments("unlock", help, { args: parameters, options });
  const { login } = values;
  const stage = readStage(values);
  if (!login) throw new UsageError("Say which login: --login LOGIN (npm run unlock -- --help)");
  return withService({ stage, directory }, () => reopen(login));
}

async function reopen(typed: string): Promise<number> {
  const login = readLogin(typed);
  const isKnown = await forgetGuesses(login.value, new Date());
  const said = isKnown ? `${login.value} is open` : `No user has the login ${login.value}`;
  process.stdout.write(`${said}: wrong passwords, pins and passcodes at it are forgotten.\n`);
  return isKnown ? 0 : 1;
}

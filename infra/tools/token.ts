import { demoUsers } from "../local/demo/demo.ts";
import { readArguments, runCommand, UsageError } from "./command.ts";
import { localDirectory, withLocalService } from "./local-service.ts";

const defaultHours = 24;
const mostHours = 24 * 365;

const help = `npm run token -- --as LOGIN [--hours N]

Prints a bearer token for a user of the local machine, whether it runs or not.

  --as LOGIN   e-mail address or phone number of the user
  --hours N    how long the token counts (${defaultHours})
  --help       show this

  curl -H "Authorization: Bearer $(npm run -s token -- --as LOGIN)" …

Users of the demo data: ${Object.values(demoUsers)
  .map(({ login, role }) => `${login} (${role})`)
  .join(", ")}
`;

if (import.meta.main) await runCommand((parameters) => printToken(parameters, localDirectory()));

/** Runs the command on a machine's directory; gives its exit code. */
export async function printToken(parameters: string[], directory: string): Promise<number> {
  const options = { as: { type: "string" }, hours: { type: "string" }, help: { type: "boolean" } } as const;
  const { values } = readArguments("token", { args: parameters, options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const { as } = values;
  if (!as) throw new UsageError("Say whose token: --as LOGIN (npm run token -- --help)");
  const hours = readHours(values.hours);
  const token = await withLocalService(directory, (service) => service.mintTokenFor(as, hours));
  process.stderr.write(`A token of ${as} for ${hours} hours; it works on the local machine alone.\n`);
  process.stdout.write(`${token}\n`);
  return 0;
}

function readHours(text = String(defaultHours)): number {
  const hours = Number(text);
  if (hours > 0 && hours <= mostHours) return hours;
  throw new UsageError(`--hours takes a number above 0 and up to ${mostHours}, not "${text}".`);
}

import { pinDigits } from "../../shared/contract/accounts.ts";
import { operations } from "../../shared/contract/operations.ts";
import { subjectOf } from "../../shared/people/limits.ts";
import { forgetPins } from "../../shared/people/pins.ts";
import { type FunctionName, functions } from "../functions/functions.ts";
import { demoUsers } from "../local/demo/demo.ts";
import { enterEnvironment } from "../local/local-aws.ts";
import { pinIn } from "../local/message-pin.ts";
import { forgotten, readArguments, runCommand, textOption, UsageError, unknownWord } from "./cli/command.ts";
import { describeAnswer, describeWork, invokeHandler, isSuccess } from "./invoke/invocation.ts";
import {
  fillEvent,
  overrideRequest,
  type RequestOverrides,
  readEvent,
  requireKind,
  sampleFile,
} from "./invoke/sample-event.ts";
import { type LocalService, localDirectory, withLocalService } from "./service/local-service.ts";

/** One call, and some more that are copied from the screen. */
const tokenHours = 1;

const help = `npm run invoke -- OPERATION [--event FILE] [--as LOGIN] [--query TEXT] [--body TEXT] [--path NAME=VALUE]

Runs the handler of an operation, or of a worker, on its sample event from events/, with or without a running machine.
Prints its answer, and its log lines to standard error. Ends with 1 when it refuses or fails.

  --event FILE       another event; - reads it from standard input
  --as LOGIN         the user whose token is sent (a demo operator, or the demo admin where only an admin may call)
  --query TEXT       another query string, such as "by_state=paid&page=2"; "" for none
  --body TEXT        another body, such as '{"job":{"job_ids":[3],"timer":0}}'
  --path NAME=VALUE  another value of a place in the path, such as id=7

An event may contain {{token}}, {{session}} (the token's), {{now}}, {{in_10_minutes}}, and {{pin}}: the login's newest pin in the inbox, else 000000. So
confirm-login is refused (422 pin_invalid) until request-password-reset has had a pin sent, and again after that pin is spent. Refresh
and reset tokens and changes have no placeholder: refresh-token, set-password and undo-change are refused until their event has a
valid one.
`;

if (import.meta.main) await runCommand((parameters) => invoke(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function invoke(parameters: string[], directory: string): Promise<number> {
  const options = {
    event: textOption,
    as: textOption,
    query: textOption,
    body: textOption,
    path: { ...textOption, multiple: true },
  } as const;
  const { values, positionals } = readArguments("invoke", help, { args: parameters, options, allowPositionals: true });
  const name = findFunction(positionals);
  const event = textOfEvent(name, readEvent(values.event ?? sampleFile(name)), values);
  return withLocalService(directory, (service) => run(name, event, values.as, service));
}

/** The event's text with the requested changes. Throws `UsageError` if the function takes no such event. */
function textOfEvent(name: FunctionName, text: string, changes: RequestOverrides): string {
  const event = JSON.parse(text);
  requireKind(event, JSON.parse(readEvent(sampleFile(name))), name);
  const option = (["query", "body", "path"] as const).find((each) => changes[each] !== undefined);
  if (option && functions[name].area === "workers") {
    throw new UsageError(`--${option} is of a request, and ${name} takes none.`);
  }
  return JSON.stringify(overrideRequest(event, changes));
}

async function run(
  name: FunctionName,
  text: string,
  login: string | undefined,
  service: LocalService,
): Promise<number> {
  const now = new Date();
  // The pin of an earlier request would stay, and the sample's would not be sent.
  if (name === "deliver-pin") await forgetPins(await subjectOf("pin", demoUsers.driver.login));
  const needsToken = login !== undefined || text.includes("{{token}}");
  const token = needsToken ? await service.mintTokenFor(login ?? defaultLogin(name), tokenHours) : "";
  const event = fillEvent(text, { token, pin: newestPin(service, text) }, now);
  enterEnvironment(service.functionEnvironment(name));
  const outcome = await invokeHandler(name, event);
  // Queues of the local machine are in memory. If no machine runs, nothing else delivers the handler's messages.
  if (functions[name].sendsTo) await service.processPending();
  const sent = () => service.messages().filter(({ sent_at }) => sent_at >= now.toISOString());
  const isWorker = functions[name].area === "workers";
  process.stdout.write(isWorker ? describeWork(outcome, event, sent()) : describeAnswer(outcome));
  return isSuccess(outcome) ? 0 : 1;
}

function findFunction([name, ...others]: readonly string[]): FunctionName {
  const known = Object.keys(functions);
  if (others.length > 0)
    throw new UsageError(`Name one operation, not ${[name, ...others].join(" ")}: ${forgotten("invoke")}`);
  if (name === undefined) throw new UsageError(`Name one operation: ${known.join(", ")}`);
  if (Object.hasOwn(functions, name)) return name as FunctionName;
  throw unknownWord("operation", name, known);
}

function defaultLogin(name: FunctionName): string {
  const access = operations.find((each) => each.name === name)?.access ?? [];
  const { operatorA, admin } = demoUsers;
  const { login } = [operatorA, admin].find(({ role }) => access.includes(role)) ?? operatorA;
  return login;
}

function newestPin(service: LocalService, event: string): string {
  const own = service.messages().filter(({ to }) => event.includes(to));
  const pins = own.map(({ text }) => pinIn(text));
  return pins.find((pin) => pin !== undefined) ?? "0".repeat(pinDigits);
}

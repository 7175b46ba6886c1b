import { beginChange } from "../../shared/run/change.ts";
import { carryOut } from "../../shared/run/log.ts";
import { settings } from "../../shared/run/settings.ts";
import type { Stage } from "../stages/stage-shape.ts";
import { type ChosenStage, findStage } from "../stages/stages.ts";
import { flagOption, readArguments, readId, runCommand, textOption, UsageError } from "./cli/command.ts";
import { describeReading } from "./cli/progress-line.ts";
import { describeTable } from "./export/describe-table.ts";
import { type ErasedList, openErasedList } from "./forget/erased-list.ts";
import { type Forgotten, forgetPerson, planToForget, readmit, replayErasures } from "./forget/forget-person.ts";
import type { OnRead, Traces } from "./forget/traces.ts";
import { readStage, stageOptions } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";

const help = `npm run forget -- (--user ID [--readmit] | --replay) [--yes] [--stage NAME [--stages FILE]]

Erases a person: the user with logins, secrets, sessions, devices (with their endpoints at SNS) and notifications; their name
as a driver of timesheets, and in the history and notifications about these; their own history but for role,
company and the number of the profile. Facts and amounts stay. Their id goes on a list outside the table and its backups.
Reads the whole table in passes until one finds nothing, also for each person of a replay. Safe while the service runs.

  --user ID      the person; without --yes only says what would be done
  --yes          do it
  --replay       after a restore: erase everybody on the list once more, and keep those out that the table does not have
  --readmit      take the person off the list, so that an import may bring them back and --replay leaves them alone
  --stage NAME   a stage in AWS, with an administrator's credentials; without it the local machine, whether it runs or not
  --stages FILE  the file that has the stage (infra/stages/stages.ts)

Safe to repeat, also after an interruption. Run it again after a day: until then the table's stream may bring changes back
into the history.

Ends with 0 when it is done, or planned; 1 when nothing is known of the person, others keep writing the name, or it failed; 2 when the
call was wrong.
`;

/** Days that AWS keeps what no command reaches: changes in the stream, messages, the log of lost SMS, states of the table. */
const keptDays = { stream: 1, queue: 14, recovery: 35 } as const;

if (import.meta.main) await runCommand((parameters) => forget(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function forget(parameters: string[], directory: string): Promise<number> {
  const options = { user: textOption, yes: flagOption, replay: flagOption, readmit: flagOption, ...stageOptions };
  const { values } = readArguments("forget", help, { args: parameters, options });
  const { user, yes = false, replay = false, readmit: readmits = false } = values;
  if (replay === (user !== undefined) || (replay && readmits)) {
    throw new UsageError("Name a person with --user ID, or give --replay (npm run forget -- --help)");
  }
  const stage = readStage(values);
  const list = openErasedList({ stage: stage?.stage.name, directory });
  const id = user === undefined ? undefined : readId("user", user);
  return withService({ stage, directory }, async (service, { show }) => {
    const { items: total } = await describeTable();
    let [pass, read, began] = [0, 0, 0];
    const onRead = (items: number, isFirst: boolean) => {
      if (isFirst) [pass, read, began] = [pass + 1, 0, performance.now()];
      read += items;
      show(() => `pass ${pass}, ${describeReading(read, total, performance.now() - began)}`);
    };
    const run = { list, yes, readmits, stage, onRead };
    const code = await carryOut({ operation: "forget" }, () => (id === undefined ? replayAll(run) : workOn(id, run)));
    await service.processPending();
    return code;
  });
}

function contextOfCommand() {
  return { now: new Date(), change: beginChange({ operation: "forget", by: "tool#forget" }) };
}

interface Call {
  readonly list: ErasedList;
  readonly yes: boolean;
  readonly readmits: boolean;
  readonly stage: ChosenStage | undefined;
  readonly onRead: OnRead;
}

async function workOn(id: number, { list, yes, readmits, stage, onRead }: Call): Promise<number> {
  if (readmits) return readmitOne(id, list, yes);
  const found = yes ? await forgetPerson(id, list, contextOfCommand(), onRead) : await planToForget(id, list, onRead);
  if (!found) {
    process.stdout.write(`Nothing is known of user ${id}: neither the table nor the list has them.\n`);
    return 1;
  }
  process.stdout.write(describe(id, found, yes) + describeRemains(stage?.stage ?? findStage("local"), new Date()));
  process.stdout.write(describeEndpoints(found.endpointsLeft));
  if (!found.kept) return 0;
  process.stderr.write(
    `Others keep writing the name: after all this the last pass still found it in ${describeTraces(found.kept)}. Find out which import or system sends it, then run the same command again.\n`,
  );
  return 1;
}

async function readmitOne(id: number, list: ErasedList, yes: boolean): Promise<number> {
  const isListed = yes ? await readmit(id, list) : (await list.entries()).some((entry) => entry.id === id);
  const what = yes ? "is off the list" : "would go off the list: --yes does it";
  process.stdout.write(isListed ? `User ${id} ${what}.\n` : `User ${id} is not on the list.\n`);
  return isListed ? 0 : 1;
}

async function replayAll({ list, yes, onRead }: Call): Promise<number> {
  if (!yes) {
    const ids = (await list.entries()).map(({ id }) => id);
    process.stdout.write(`On the list: ${ids.join(", ") || "nobody"}. --yes erases them once more.\n`);
    return 0;
  }
  const { forgotten, absent, endpointsLeft, unfinished } = await replayErasures(list, contextOfCommand(), onRead);
  process.stdout.write(`Erased once more: ${forgotten.join(", ") || "nobody"}. `);
  process.stdout.write(`Not in the table, and kept out: ${absent.join(", ") || "nobody"}.\n`);
  process.stdout.write(describeEndpoints(endpointsLeft));
  if (unfinished.length === 0) return 0;
  process.stderr.write(
    `Others keep writing names of ${unfinished.join(", ")} into records: find out which import or system does, then run the same command again.\n`,
  );
  return 1;
}

function describe(id: number, { traces, wasUser }: Forgotten, isDone: boolean): string {
  const user = wasUser ? `user ${id} with all that is theirs` : `user ${id}, who is gone already`;
  return `${isDone ? "Erased" : "Would be erased with --yes"}: ${user}; their name in ${describeTraces(traces)}.\n`;
}

function describeTraces({ timesheet, history, notification }: Traces): string {
  return `${timesheet} timesheets, ${history} changes of the history and ${notification} notifications`;
}

/** The traces that no command reaches, and the day each one expires. */
function describeRemains({ logRetentionDays, backupKeptDays }: Stage, now: Date): string {
  const until = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const remains = [
    `changes in the table's stream: ${until(keptDays.stream)}`,
    `dead letters, quarantined changes, the log of lost SMS: ${until(keptDays.queue)}`,
    `point-in-time recovery: ${until(keptDays.recovery)}`,
    ...(backupKeptDays === undefined ? [] : [`weekly backups: ${until(backupKeptDays)}`]),
    `logs (ids and addresses of clients, no name): ${until(logRetentionDays)}`,
    "at SNS, endpoints of devices that they had signed out of (a token, no name): as long as the platform application",
    `what they changed, by their number alone, in the history and in changes that can be undone: ${until(settings.historyDays())}`,
  ];
  return `What is left, and until when at the latest:\n${remains.map((each) => `  ${each}\n`).join("")}`;
}

function describeEndpoints(left: readonly string[]): string {
  const commands = left.map((arn) => `  aws sns delete-endpoint --endpoint-arn ${arn}\n`);
  return left.length === 0
    ? ""
    : `SNS did not delete endpoints of their devices. Do it, where they are this stage's:\n${commands.join("")}`;
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChosenStage } from "../../../infra/stages/stages.ts";
import { readArguments, runCommand, UsageError } from "../../../infra/tools/cli/command.ts";
import { withDeployedService } from "../../../infra/tools/service/deployed-service.ts";
import { readStage, stageOptions } from "../../../infra/tools/service/deployed-stage.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const help = `npm run test:journeys [-- --url URL --stage NAME [--stages FILE]] [--inbox URL] [--report FILE]

Runs end-to-end tests over HTTP, from sign-in to notifications, on the service of a stage or, without --url, on a local
machine of its own. On a stage it imports a company and users of its own with your AWS credentials, sends events to the
stage's bus, and removes them at the end, except zero totals and tombstones, which expire by themselves. The service
takes 30 registrations an hour from one address, which is enough for 30 runs with an inbox.

  --url URL      base URL of the service, as the deploy printed it
  --stage NAME   the stage behind it
  --stages FILE  the file that has the stage (infra/stages/stages.ts)
  --inbox URL    where the messages that it sent can be read; may be given several times. Without one, the tests that
                 need a pin or a push are skipped. Accepts the format of the local machine's /_local/inbox, and an
                 emulator's /_ministack/ses/messages and /_ministack/sns/sms-messages
  --real-data    run on a stage that keeps its data, which is refused otherwise: an admin is among the people imported
  --report FILE  write vitest's JSON report
  --help         show this

Ends with 0 when all stories went well, 1 when one did not, 2 when the call was wrong.
`;

if (import.meta.main) await runCommand(runJourneys);

/** Runs the command and returns its exit code. */
export async function runJourneys(parameters: string[]): Promise<number> {
  const call = readArguments("test:journeys", help, {
    args: parameters,
    options: {
      url: { type: "string" },
      ...stageOptions,
      inbox: { type: "string", multiple: true },
      "real-data": { type: "boolean" },
      report: { type: "string" },
    },
  });
  const { values } = call;
  const { url, inbox = [], report } = values;
  if ((url === undefined) !== (values.stage === undefined))
    throw new UsageError("Name --url and --stage together, or neither");
  if (inbox.length > 0 && !url) throw new UsageError("--inbox goes with --url: the local machine has one of its own");
  for (const address of [...(url ? [url] : []), ...inbox]) requireHttp(address);
  const chosen = readStage(values);
  if (chosen?.stage.removal === "keep" && !values["real-data"]) {
    throw new UsageError(
      `The stage ${chosen.stage.name} keeps real data: add --real-data to bring an admin of the journeys' into it`,
    );
  }
  if (url && chosen) await requireService(url, chosen);
  const place = { JOURNEY_URL: url, JOURNEY_STAGE: values.stage, JOURNEY_STAGES: values.stages };
  return runTests({ ...place, JOURNEY_INBOX: inbox.join(" "), ...(report && { VITEST_REPORT: report }) });
}

function requireHttp(address: string): void {
  const isHttp = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  if (!isHttp) throw new UsageError(`"${address}" is no URL that begins with http:// or https://`);
}

/** Says in one sentence why nothing could go well, before every story says it in many. */
async function requireService(url: string, stage: ChosenStage): Promise<void> {
  await withDeployedService(stage, async () => {});
  const health = `${url.replace(/\/$/, "")}/api/v1/health`;
  const status = await fetch(health, { signal: AbortSignal.timeout(15_000) }).then(
    (answer) => answer.status,
    (error) => (error.cause?.code ?? error.name) as string,
  );
  if (status !== 200) throw new Error(`No service answers at ${health} (${status}): look at --url.`);
}

/** Runs the tests with these variables; the shell's own ones of an undefined value do not reach them. */
async function runTests(place: Readonly<Record<string, string | undefined>>): Promise<number> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--config", "test/system/journeys/vitest.config.ts"], {
    cwd: root,
    env: { ...process.env, ...place },
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  return code === 0 ? 0 : 1;
}

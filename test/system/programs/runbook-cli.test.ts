import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { root } from "../../../infra/support/root.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { installCli } from "../deploy/install.ts";
import { findPython, neededPython } from "../deploy/python.ts";
import { awsCommandsIn, readPage } from "../runbook/shell-commands.ts";

interface Answer {
  readonly command: readonly string[];
  readonly said: string;
}

const pages = ["infra/RUNBOOK.md", "infra/README.md", "infra/UPGRADE.md"];
const commands = pages.flatMap((page) => awsCommandsIn(readPage(page)));
const wrong = ["dynamodb", "describe-table", "--tabel", "records"];
/** Values that the shell or commands before them make, and the CLI takes in one form only: of an option, or of one service's. */
const filled: Readonly<Record<string, string>> = {
  "--time-window": "StartTime=1700000000,EndTime=1700003600",
  "--web-acl-arn": "arn:aws:wafv2:us-east-1:111122223333:global/webacl/firewall/a",
  "--uuid": "00000000-0000-0000-0000-000000000000",
  "apigatewayv2 --cli-input-json": JSON.stringify({
    DefaultRouteSettings: { ThrottlingBurstLimit: 0, ThrottlingRateLimit: 0 },
    RouteSettings: { "GET /api/v1/health": { ThrottlingBurstLimit: 10, ThrottlingRateLimit: 5 } },
  }),
  "scheduler --cli-input-json": JSON.stringify({
    Name: "daily",
    ScheduleExpression: "rate(1 day)",
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: {
      Arn: "arn:aws:lambda:eu-west-2:111122223333:function:daily",
      RoleArn: "arn:aws:iam::111122223333:role/daily",
    },
  }),
};
const files = newFolder();
const [value, output] = [join(files, "value.json"), join(files, "out")];
const hasPython = findPython() !== undefined;
let programs: string;

beforeAll(async () => {
  writeFileSync(value, "{}");
  if (hasPython) programs = await installCli();
}, 300_000);

test.skipIf(!hasPython)(
  `every command of the runbook and of the pages on deploys is one that the AWS CLI takes (needs ${neededPython})`,
  () => {
    expect(commands.length).toBeGreaterThan(30);
    const answers = parse([...commands.map(withFiles), wrong]);
    const refused = answers.filter(({ said }) => !said.includes("Could not connect to the endpoint URL"));
    expect(refused.map(({ command }) => command)).toEqual([wrong]);
  },
);

function withFiles(command: readonly string[]): string[] {
  // The profiles are the reader's own.
  const own = command.filter((word, at) => word !== "--profile" && command[at - 1] !== "--profile");
  return own.map((word, at) => {
    const option = own[at - 1] ?? "";
    const made = filled[option] ?? filled[`${own[0]} ${option}`];
    if (made !== undefined) return made;
    return word === "file:///dev/stdin" ? `file://${value}` : word === "/dev/stdout" ? output : word;
  });
}

function parse(given: readonly (readonly string[])[]): Answer[] {
  const program = join(root, "test/system/programs/parse_commands.py");
  const { stdout, stderr } = spawnSync(join(programs, "python"), [program, "http://127.0.0.1:9"], {
    encoding: "utf8",
    input: JSON.stringify(given),
    env: {
      PATH: process.env.PATH,
      HOME: files,
      AWS_ACCESS_KEY_ID: "1",
      AWS_SECRET_ACCESS_KEY: "1",
      AWS_DEFAULT_REGION: "eu-west-2",
      AWS_MAX_ATTEMPTS: "1",
      AWS_EC2_METADATA_DISABLED: "true",
    },
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

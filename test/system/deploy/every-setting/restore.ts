import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { functionNameOf, namesOf } from "../../../../infra/stages/names.ts";
import type { Stage } from "../../../../infra/stages/stages.ts";
import type { Account } from "../account.ts";
import type { DeployedStage } from "../deployed-stage.ts";
import { account } from "../emulator.ts";
import { root, runProgram } from "../program.ts";
import { readInvoices } from "./journey.ts";
import { runbookText, type Shell, shellBlocksOf } from "./shell.ts";

/** What the tests of a restore need of the stage that is deployed. */
interface RestorePlace {
  readonly aws: Account;
  readonly settings: () => Stage;
  readonly stage: () => DeployedStage;
  readonly shell: () => Shell;
  /** Imports an invoice. */
  readonly importInvoice: (id: number) => Promise<void>;
  readonly invoices: number;
}

const [toSecond = "", toBackup = "", wait = "", read = "", settle = "", ...more] = shellBlocksOf("Restore the table");
const [, deployWithImport = ""] = (shellBlocksOf("Import an existing table")[0] ?? "").trim().split("\n");

/** Has vitest follow the runbook's chapter "Restore the table", command by command, in its order. */
export function testRestore({ aws, settings, stage, shell, importInvoice, invoices }: RestorePlace): void {
  const tableOf = () => namesOf(settings().name).table;
  const total = async () => Number((await readInvoices(stage())).total);

  test("the runbook's chapter on a restore has the commands that are tried here, and no other", () => {
    expect(more).toEqual([]);
    expect(toSecond).toContain("restore-table-to-point-in-time");
    expect(toBackup).toContain("start-restore-job");
    expect(deployWithImport).toContain("npx cdk deploy -c stage=NAME --import-existing-resources");
  });

  test("a few records are read from a table that is restored to a second, which is deleted then", async () => {
    await shell()(`${toSecond}\n${wait}`);
    const item = JSON.parse(await shell()(read.replaceAll("INVOICE#31", "INVOICE#1")));
    expect(item.Item.pk.S).toBe("INVOICE#1");
    await shell()(`aws dynamodb delete-table --table-name ${tableOf()}-2`);
  });

  test("a backup is restored by the role that the stack has for it, into a table of another name", async () => {
    await backUp();
    await importInvoice(invoices + 1);
    await expect.poll(total, { timeout: 30_000 }).toBe(invoices + 1);
    const points = 'aws backup list-recovery-points-by-backup-vault --backup-vault-name "workforce-$STAGE"';
    const newest = `$(${points} --query 'RecoveryPoints[0].RecoveryPointArn' --output text)`;
    const printed = await shell()(`${toBackup.replace("point=...", `point=${newest} #`)}\n${wait}`);
    expect(printed).toContain("COMPLETED");
  });

  test("the stage is led to the restored table: users sign in, and have the records of the backup", async () => {
    await setMappings("--no-enabled");
    await shell()(settle);
    const checkout = copyProject();
    const call = deployWithImport.replace(/^npx cdk | *#.*$/g, "").replace("NAME", settings().name);
    const options = ["--require-approval", "never", "--output", aws.output("restored")];
    const environment = { WORKFORCE_STAGES: process.env.WORKFORCE_STAGES ?? "" };
    const { code, printed } = await aws.cdk([...call.split(" "), ...options], { checkout, environment });
    expect(code, printed).toBe(0);
    await setMappings("--enabled");
    await recount(checkout);
    await shell()(`aws lambda invoke --function-name "$(fn rotate-signing-key)" /dev/stdout | cat`);
    expect(await total()).toBe(invoices);
  });

  test("the stream of the restored table leads to the same consumers: a new record is counted", async () => {
    process.env.TABLE_NAME = `${tableOf()}-2`;
    await importInvoice(invoices + 2);
    await expect.poll(total, { timeout: 30_000 }).toBe(invoices + 1);
  });

  /** What AWS does each night. */
  async function backUp(): Promise<void> {
    const table = `arn:aws:dynamodb:$AWS_DEFAULT_REGION:${account}:table/${tableOf()}`;
    const role = `arn:aws:iam::${account}:role/workforce-$STAGE-$AWS_REGION-restore`;
    await shell()(
      `aws backup start-backup-job --backup-vault-name "workforce-$STAGE" --resource-arn "${table}" --iam-role-arn "${role}"`,
    );
  }

  /** Stops the writers that the runbook names, and lets them go on. */
  async function setMappings(option: "--no-enabled" | "--enabled"): Promise<void> {
    const [command = ""] = /aws lambda update-event-source-mapping --uuid \S+ --no-enabled/.exec(runbookText()) ?? [];
    const names = ["intake", "keep-history", "notify"].map((each) => functionNameOf(settings().name, each));
    const { EventSourceMappings } = JSON.parse(await shell()("aws lambda list-event-source-mappings"));
    const theirs = EventSourceMappings.filter(({ FunctionArn }: Mapping) =>
      names.includes(FunctionArn.split(":")[6] ?? ""),
    );
    expect(theirs).toHaveLength(names.length);
    const commands = theirs.map(({ UUID }: Mapping) =>
      command.replace(/--uuid \S+ --no-enabled/, `--uuid ${UUID} ${option}`),
    );
    await shell()(commands.join("\n"));
  }

  /** The checkout from which the stage is deployed from now on, changed as the runbook says. */
  function copyProject(): string {
    const checkout = aws.output("checkout");
    for (const each of ["cdk.json", "package.json", "tsconfig.json", "functions", "shared", "infra"]) {
      cpSync(join(root, each), join(checkout, each), { recursive: true });
    }
    symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
    edit(join(checkout, "infra/stages/names.ts"), "-records`", "-records-2`");
    edit(join(checkout, "infra/workforce-stack.ts"), '(this, "Records"', '(this, "Records2"');
    return checkout;
  }

  async function recount(checkout: string): Promise<void> {
    const call = ["infra/tools/recount.ts", "--company", "all", "--stage", settings().name, "--repair"];
    const { code, output } = await runProgram(process.execPath, call, process.env, 60_000, checkout);
    expect(code, output).toBe(0);
  }
}

interface Mapping {
  readonly UUID: string;
  readonly FunctionArn: string;
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, "utf8");
  expect(text.split(from)).toHaveLength(2);
  writeFileSync(file, text.replace(from, to));
}

import { expect, test } from "vitest";
import { functionNameOf, namesOf, tableNameOf } from "../../../../infra/stages/names.ts";
import { getHealth, getKeySet } from "../../../../shared/contract/service.ts";
import { signIn } from "../../../../shared/contract/sessions.ts";
import { send } from "../../../support/requests/http-client.ts";
import { shellBlocksOf } from "../../runbook/shell-commands.ts";
import { importLines } from "../deployed-stage.ts";
import { account, region } from "../emulator.ts";
import { invoiceOf, invoices, readInvoices, user } from "./journey.ts";
import { changeSettings, deployRelease, type Place, runStageTool } from "./place.ts";

const [toSecond = "", toBackup = "", wait = "", read = "", ...more] = shellBlocksOf("Restore the table");
/** Each deploy may take as long as a test. */
const twoDeploysMs = 500_000;
const [freeze = ""] = shellBlocksOf("Freeze a stage");
const [, deployWithImport = ""] = (shellBlocksOf("Import an existing table")[0] ?? "").trim().split("\n");

/** Has vitest follow the runbook's chapter "Restore the table", command by command, in its order. */
export function testRestore(place: Place): void {
  const { name } = place.settings;
  const firstTable = tableNameOf({ name });
  const importInvoice = (id: number) => importLines([invoiceOf(id)]);
  const total = async () => Number((await readInvoices(place.stage)).total);

  test("the runbook's chapter on a restore has the commands that are tried here, and no other", () => {
    expect(more).toEqual([]);
    expect(toSecond).toContain("restore-table-to-point-in-time");
    expect(toBackup).toContain("start-restore-job");
    expect(deployWithImport).toContain(
      'npx cdk deploy "Workforce-$STAGE" -c stage="$STAGE" --import-existing-resources',
    );
  });

  test("a few records are read from a table that is restored to a second, which is deleted then", async () => {
    await place.shell(`${toSecond}\n${wait}`);
    const item = JSON.parse(await place.shell(`T=${firstTable}-2\n${read.replaceAll("INVOICE#31", "INVOICE#1")}`));
    expect(item.Item.pk.S).toBe("INVOICE#1");
    await place.shell(`aws dynamodb delete-table --table-name ${firstTable}-2`);
  });

  test("a backup is restored by the role that the stack has for it, into a table of another name", async () => {
    await backUp();
    await importInvoice(invoices + 1);
    await expect.poll(total, { timeout: 30_000 }).toBe(invoices + 1);
    const points = 'aws backup list-recovery-points-by-backup-vault --backup-vault-name "workforce-$STAGE"';
    const newest = `$(${points} --query 'RecoveryPoints[0].RecoveryPointArn' --output text)`;
    const printed = await place.shell(`${toBackup.replace("point=...", `point=${newest} #`)}\n${wait}`);
    expect(printed).toContain("COMPLETED");
  });

  test("a stage is frozen by one paste: it answers 429 but for health and keys, no mapping or schedule works on; one whose name begins alike does", async () => {
    const like = functionNameOf(`${name}-eu`, "mark-overdue");
    const alarm = `${namesOf(name).stack}-eu-api-5xx`;
    const target = `{"Arn":"arn:aws:lambda:${region}:${account}:function:${like}","RoleArn":"arn:aws:iam::${account}:role/any"}`;
    const schedule = "--schedule-expression 'rate(1 day)' --flexible-time-window Mode=OFF";
    await place.shell(`aws scheduler create-schedule --name ${like} ${schedule} --target '${target}'
      aws cloudwatch put-metric-alarm --alarm-name ${alarm} --namespace any --metric-name any --statistic Sum --period 60 \
        --evaluation-periods 1 --threshold 1 --comparison-operator LessThanThreshold`);
    await place.shell(freeze);
    const left = `aws scheduler get-schedule --name ${like} --query State && aws scheduler delete-schedule --name ${like}
      aws cloudwatch describe-alarms --query "MetricAlarms[?ActionsEnabled].AlarmName"`;
    expect((await place.shell(left)).replaceAll(/\s+/g, "")).toBe(`"ENABLED"["${alarm}"]`);
    const body = { user: { login: user.email, password: user.password } };
    const refused = await send(place.stage.baseUrl, "POST", signIn.path, { body });
    expect([refused.status, refused.body]).toEqual([429, { message: "Too Many Requests" }]);
    for (const path of [getHealth.path, getKeySet.path])
      expect((await send(place.stage.baseUrl, "GET", path, {})).status, path).toBe(200);
    await expectWorking(false);
  });

  test("preflight names what the restored table lacks, with commands that make it", async () => {
    changeSettings(place, { frozen: true, tableName: `${firstTable}-2` });
    const before = await tableSettings();
    expect(before).toMatch(
      /^missing .* lacks its time to live, its stream, its protection, point-in-time recovery, its tags: run /,
    );
    await place.shell(before.split(": run ")[1] ?? "");
    expect(await tableSettings()).toMatch(/^ok /);
  });

  test(
    "the stage is led to the restored table by two settings: users sign in, and have the records of the backup",
    async () => {
      const call = deployWithImport
        .replace(/^npx cdk | *#.*$/g, "")
        .replaceAll("$STAGE", name)
        .replaceAll('"', "");
      await deploy("frozen", { release: "now" }, call.split(" "));
      await expectWorking(false);
      await recount();
      await place.shell(`aws lambda invoke --function-name "$(fn rotate-signing-key)" /dev/stdout | cat`);
      changeSettings(place, { frozen: false });
      await deploy("restored");
      await expectWorking(true);
      expect(await total()).toBe(invoices);
    },
    twoDeploysMs,
  );

  test("the stream of the restored table leads to the same consumers: a new record is counted", async () => {
    process.env.TABLE_NAME = `${firstTable}-2`;
    await importInvoice(invoices + 2);
    await expect.poll(total, { timeout: 30_000 }).toBe(invoices + 1);
  });

  async function backUp(): Promise<void> {
    const table = `arn:aws:dynamodb:$AWS_DEFAULT_REGION:${account}:table/${firstTable}`;
    const role = `arn:aws:iam::${account}:role/workforce-$STAGE-$AWS_REGION-restore`;
    await place.shell(
      `aws backup start-backup-job --backup-vault-name "workforce-$STAGE" --resource-arn "${table}" --iam-role-arn "${role}"`,
    );
  }

  async function expectWorking(isWorking: boolean): Promise<void> {
    const { EventSourceMappings } = JSON.parse(await place.shell("aws lambda list-event-source-mappings"));
    const { Schedules } = JSON.parse(await place.shell("aws scheduler list-schedules"));
    const ours = functionNameOf(name, "");
    const mappings = EventSourceMappings.filter(({ FunctionArn }: Mapping) => FunctionArn.includes(`:${ours}`));
    expect(mappings.length).toBeGreaterThan(7);
    expect(Schedules.length).toBe(2);
    for (const { State } of mappings) expect(State).toBe(isWorking ? "Enabled" : "Disabled");
    for (const { State } of Schedules) expect(State).toBe(isWorking ? "ENABLED" : "DISABLED");
  }

  async function deploy(release: string, context?: Record<string, string>, call?: readonly string[]): Promise<void> {
    const { code, printed } = await deployRelease(place, release, context, call);
    expect(code, printed).toBe(0);
  }

  async function tableSettings(): Promise<string> {
    const { output } = await runStageTool(place, "preflight");
    return output.split("\n").find((line) => / table settings /.test(line)) ?? output;
  }

  async function recount(): Promise<void> {
    const { code, output } = await runStageTool(place, "recount", "--company", "all", "--repair");
    expect(code, output).toBe(0);
  }
}

interface Mapping {
  readonly FunctionArn: string;
  readonly State: string;
}

import { namesOf } from "../../stages/names.ts";
import { stagesFile } from "../../stages/stages.ts";
import { type Check, type DeployTarget, type Finding, later, missing, ok } from "./finding.ts";
import { findStack } from "./stack-checks.ts";
import { findTableSettings } from "./table-check.ts";

const checks: readonly Check[] = [
  { about: "account guard", find: findGuard },
  { about: "table settings", find: findTableSettings },
  { about: "restore", find: findRestore },
  { about: "outside check", find: findOutsideCheck },
];

/** Checks of a stage that keeps its data. */
export const keepingChecks: readonly Check[] = checks.map(({ about, find }) => ({
  about,
  find: async (place) => (place.stage.removal === "keep" ? find(place) : ok("for stages that keep their data")),
}));

async function findGuard({ stage, account, region }: DeployTarget): Promise<Finding> {
  const { name } = stage;
  if (stage.account !== undefined && stage.region !== undefined) return ok(`${stage.account}, ${stage.region} alone`);
  const advice = `set account to "${account}" and region to "${region}" in ${stagesFile()}`;
  return missing(`With other credentials ${name} would be deployed to another account or region: ${advice}.`);
}

async function findRestore(place: DeployTarget): Promise<Finding> {
  const { name, backupKeptDays } = place.stage;
  const { backupVault, restoreRole } = namesOf(name);
  if (backupKeptDays === undefined) return ok("to any second of 35 days; the stage makes no backups");
  if ((await findStack(place)) !== undefined) return ok(`from the vault ${backupVault}, by the role ${restoreRole}`);
  const practise =
    'practise a restore as "Restore the table" in infra/RUNBOOK.md says, and write down how long it took';
  const vault = `aws backup describe-backup-vault --backup-vault-name ${backupVault}`;
  return later(
    `Once the deploy has ended, ${practise}; where an earlier stack had backups, look with ${vault} first, as a vault that is left blocks the deploy.`,
  );
}

/** Checks the stack in us-east-1, whatever the stage's region is. */
async function findOutsideCheck(place: DeployTarget): Promise<Finding> {
  const { name, probedHost } = place.stage;
  const { probe } = namesOf(name);
  const deploy = `run npx cdk deploy -c stage=${name} -c stack=probe`;
  const reason = "no alarm fires when the stage's region is out";
  if (probedHost === undefined) {
    return later(`Once the deploy has ended, set probedHost to the host that clients call, and ${deploy}: ${reason}.`);
  }
  if ((await findStack(place, { StackName: probe, region: "us-east-1" })) !== undefined)
    return ok(`asks ${probedHost}`);
  return later(`Once the deploy has ended, ${deploy}: ${reason}.`);
}

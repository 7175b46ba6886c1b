import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { edgeOf } from "../../stages/stage-shape.ts";
import {
  bySettings,
  type DeployTarget,
  type Finding,
  later,
  missing,
  nothingToDo,
  ok,
  okIf,
  onlyFor,
} from "./finding.ts";
import { findStack } from "./stack-checks.ts";
import { findTableSettings } from "./table-check.ts";

/** Checks of a stage that keeps its data. */
export const keepingChecks = onlyFor(
  ({ removal }) => removal === "keep",
  [
    {
      about: "account guard",
      asks: "Set account and region once you know them.",
      bySettings: okIf(({ account, region }) => account !== undefined && region !== undefined),
      find: findGuard,
    },
    {
      about: "table settings",
      asks: "A restored table gets its settings by the commands that this prints, in minutes.",
      find: findTableSettings,
    },
    {
      about: "restore",
      days: 0.5,
      asks: "A restore is practised before there are users; plan half a day.",
      bySettings: okIf(({ backupKeptDays }) => backupKeptDays === undefined),
      find: findRestore,
    },
    {
      about: "edge",
      asks: "An edge needs a domain and two certificates, which its DNS proves; an hour.",
      ...bySettings(findEdge),
    },
  ],
);

async function findGuard({ stage, file, account, region }: DeployTarget): Promise<Finding> {
  const advice = `set account to "${account}" and region to "${region}" in ${file}`;
  return missing(`With other credentials ${stage.name} would be deployed to another account or region: ${advice}.`);
}

async function findRestore(place: DeployTarget): Promise<Finding> {
  const { backupVault, restoreRole } = namesOf(place.stage.name);
  if ((await findStack(place)) !== undefined)
    return ok(`from the vault ${backupVault}, by the role ${restoreRole(place.region)}`);
  const practise =
    'practise a restore as "Restore the table" in infra/RUNBOOK.md says, and write down how long it took';
  const vault = `aws backup describe-backup-vault --backup-vault-name ${backupVault}`;
  return later(
    `Once the deploy has ended, ${practise}; where an earlier stack had backups, look with ${vault} first, as a vault that is left blocks the deploy.`,
  );
}

function findEdge({ edge, anonymousThrottle: { requestsPerSecond } }: Stage): Finding {
  if (edgeOf({ edge })) return nothingToDo;
  return later(
    `The stage has no edge: one address with ${requestsPerSecond} requests a second keeps everybody from signing in; "A flood" in infra/RUNBOOK.md has the steps.`,
  );
}

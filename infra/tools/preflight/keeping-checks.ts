import { namesOf } from "../../stages/names.ts";
import { edgeOf } from "../../stages/stage-shape.ts";
import { stagesFile } from "../../stages/stages.ts";
import { type DeployTarget, type Finding, later, missing, ok, onlyFor } from "./finding.ts";
import { findStack } from "./stack-checks.ts";
import { findTableSettings } from "./table-check.ts";

/** Checks of a stage that keeps its data. */
export const keepingChecks = onlyFor(
  ({ removal }) => removal === "keep",
  [
    {
      about: "account guard",
      asks: "Set account and region once you know them.",
      isSet: ({ account, region }) => account !== undefined && region !== undefined,
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
      isSet: ({ backupKeptDays }) => backupKeptDays === undefined,
      find: findRestore,
    },
    {
      about: "edge",
      asks: "An edge needs a domain and two certificates, which its DNS proves; an hour.",
      isSet: ({ edge }) => edgeOf({ edge }) !== undefined,
      find: findEdge,
    },
    {
      about: "test logins",
      asks: "Test logins are set for a review and end with it.",
      isSet: ({ testLogins }) => testLogins === undefined,
      find: findTestLogins,
    },
  ],
);

async function findGuard({ stage, account, region }: DeployTarget): Promise<Finding> {
  const advice = `set account to "${account}" and region to "${region}" in ${stagesFile()}`;
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

async function findEdge({ stage }: DeployTarget): Promise<Finding> {
  const { requestsPerSecond } = stage.anonymousThrottle;
  return later(
    `The stage has no edge: one address with ${requestsPerSecond} requests a second keeps everybody from signing in; "A flood" in infra/RUNBOOK.md has the steps.`,
  );
}

async function findTestLogins({ stage }: DeployTarget): Promise<Finding> {
  const { logins = [], until } = stage.testLogins ?? {};
  return later(
    `${logins.length} logins sign in with a pin that is no secret of their owners until ${until}: remove testLogins from ${stagesFile()} once the review is over.`,
  );
}

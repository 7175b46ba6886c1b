import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { keyMaker, toItem } from "../../../functions/workers/history-entries.ts";
import type { KeyAccess } from "../../../shared/contract/operation.ts";
import { type AskedApiKey, addApiKey } from "../../../shared/people/api-keys.ts";
import { type Account, findAccount } from "../../../shared/people/users.ts";
import { beginChange, type Change } from "../../../shared/run/change.ts";
import { settings } from "../../../shared/run/settings.ts";
import { timeOrderedId } from "../../../shared/run/time-ordered-id.ts";
import { epochSeconds, putBatch } from "../../../shared/table/table.ts";
import { withClient } from "../../runtime/aws/with-client.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { UsageError } from "../cli/command.ts";
import { findTokenUser } from "./tool-service.ts";

/** An API key that an engineer asks for. */
export interface AskedKey {
  readonly login: string;
  readonly access: KeyAccess;
  readonly hours: number;
}

/**
 * Makes an API key of a user on a stage, without their password, and gives its secret. Who makes it is kept in the user's history
 * before: without that there is no key. The user is notified by mail and sees it in their list. Throws `UsageError` for a login
 * that no user has, and on a stage with an external issuer.
 */
export async function makeEngineersKey(stage: Stage, { login, access, hours }: AskedKey): Promise<string> {
  if (stage.oidcIssuer) {
    const { issuer } = stage.oidcIssuer;
    throw new UsageError(`The stage ${stage.name} trusts the tokens of ${issuer} alone: sign in there.`);
  }
  const { id: userId } = await findTokenUser(login, `the stage ${stage.name}`);
  const [account, engineer] = await Promise.all([findAccount(userId), findCallerArn()]);
  if (!account) throw new Error("The user has been removed meanwhile.");
  const now = new Date();
  const asked = {
    id: timeOrderedId(now),
    name: `${engineer.slice(engineer.lastIndexOf(":") + 1).slice(-70)} ${now.toISOString()}`,
    access,
    validTo: new Date(now.getTime() + hours * 3_600_000),
    minted_by: engineer,
  };
  const change = beginChange({ operation: "token", by: keyMaker });
  await keepMaking(account, asked, change);
  const { secret } = await addApiKey(account, asked, { change, now });
  return secret;
}

async function findCallerArn(): Promise<string> {
  const { Arn } = await withClient(new STSClient({}), (client) => client.send(new GetCallerIdentityCommand({})));
  if (Arn === undefined) throw new Error("AWS does not say whose the credentials are: no key is made.");
  return Arn;
}

/** Access pattern HI10: keeps the making of a key in its user's history. One or two write units, and as many for two indexes. */
async function keepMaking({ user }: Account, made: Required<AskedApiKey>, change: Change): Promise<void> {
  const { id, name, access, validTo, minted_by: made_by } = made;
  const api_key = { id, name, access, expires_at: validTo.toISOString(), made_by };
  const entry = { type: "user", id: user.id, did: "updated", change, at: change.at, after: { api_key } } as const;
  await putBatch([toItem(entry, { createdAt: epochSeconds(new Date(change.at)) }, settings.historyDays())]);
}

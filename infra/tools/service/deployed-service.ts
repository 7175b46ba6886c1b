import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import type { Role } from "../../../shared/contract/operation.ts";
import { makeFamily } from "../../../shared/people/sessions.ts";
import { epochSecondsAfter } from "../../../shared/table/table.ts";
import { putIf } from "../../../shared/table/writes.ts";
import { signAccessToken } from "../../../shared/tokens/access.ts";
import { mintedPk, mintedTokens } from "../../../shared/tokens/keys.ts";
import { withClient } from "../../runtime/aws/with-client.ts";
import { tableNameOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import type { ChosenStage } from "../../stages/stages.ts";
import { UsageError } from "../cli/command.ts";
import { inStage } from "./deployed-stage.ts";
import { findTokenUser, type Service } from "./tool-service.ts";

/** A record of a token that somebody made is kept for more than a year, for an audit of it. */
const mintingDays = 400;

/**
 * Runs work on the service of a stage in AWS, with the user's own credentials. Prints account and region on standard
 * error. Throws AWS errors as one sentence that says what to do.
 */
export async function withDeployedService<T>(chosen: ChosenStage, work: (service: Service) => Promise<T>): Promise<T> {
  const { stage } = chosen;
  return inStage(chosen, async (region) => {
    const account = await findAccount(stage);
    process.stderr.write(`Stage ${stage.name}, account ${account}, region ${region}\n`);
    return work({
      running: true,
      processPending: async () => {},
      mintTokenFor: (login, hours) => mintToken(stage, login, hours),
    });
  });
}

async function findAccount(stage: Stage): Promise<string> {
  const command = new DescribeTableCommand({ TableName: tableNameOf(stage) });
  const { Table } = await withClient(new DynamoDBClient({}), (client) => client.send(command));
  return Table?.TableArn?.split(":")[4] ?? "unknown";
}

async function findCallerArn(): Promise<string> {
  const { Arn } = await withClient(new STSClient({}), (client) => client.send(new GetCallerIdentityCommand({})));
  if (Arn === undefined) throw new Error("AWS does not say whose the credentials are: no token is made.");
  return Arn;
}

/** Signs a token for a stage after recording who makes it. */
async function mintToken(stage: Stage, login: string, hours: number): Promise<string> {
  if (stage.oidcIssuer) {
    const { issuer } = stage.oidcIssuer;
    throw new UsageError(`The stage ${stage.name} trusts the tokens of ${issuer} alone: sign in there.`);
  }
  const { id, role, company_id } = await findTokenUser(login, `the stage ${stage.name}`);
  const [jti, madeAt, seconds] = [crypto.randomUUID(), new Date(), Math.ceil(hours * 60 * 60)];
  const validTo = new Date(madeAt.getTime() + seconds * 1_000);
  await recordMinting({ jti, madeBy: await findCallerArn(), user: { id, role }, madeAt, validTo });
  const subject = { id, role, financial_company_id: company_id };
  return signAccessToken(subject, makeFamily(madeAt), madeAt, seconds, jti);
}

/** An access token that a person is about to make. */
interface Minting {
  readonly jti: string;
  readonly madeBy: string;
  readonly user: { readonly id: number; readonly role: Role };
  readonly madeAt: Date;
  readonly validTo: Date;
}

/** Access pattern MT1: records who makes an access token, and which user it is for, for 400 days. One write unit. */
async function recordMinting({ jti, madeBy, user, madeAt, validTo }: Minting): Promise<void> {
  const [made_at, valid_to] = [madeAt.toISOString(), validTo.toISOString()];
  const fields = { jti, made_by: madeBy, made_at, user_id: user.id, role: user.role, valid_to };
  const expires_at = epochSecondsAfter(madeAt, mintingDays);
  await putIf({ Item: mintedTokens.encode({ pk: mintedPk, sk: `${made_at}#${jti}`, ...fields, expires_at }) });
}

import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { makeFamily } from "../../../shared/domain/accounts/refresh-token.ts";
import { signAccessToken } from "../../../shared/tokens/issue-tokens.ts";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { UsageError } from "../cli/command.ts";
import { explainAwsFault } from "./aws-faults.ts";
import { enterStage, findDeployedStage, findRegion } from "./deployed-stage.ts";
import { findTokenUser, type Service } from "./service.ts";

/**
 * Gives work the service of a stage in AWS, in the account of the user's own credentials, and says on standard error which
 * account and region that is. What AWS refuses is thrown as one sentence that says what to do.
 */
export async function withDeployedService<T>(stageName: string, work: (service: Service) => Promise<T>): Promise<T> {
  const stage = findDeployedStage(stageName);
  enterStage(stage);
  const region = await findRegion(stage);
  try {
    const account = await findAccount(stage);
    process.stderr.write(`Stage ${stage.name}, account ${account}, region ${region}\n`);
    return await work({
      running: true,
      processPending: async () => {},
      mintTokenFor: (login, hours) => mintToken(stage, login, hours),
    });
  } catch (error) {
    throw explainAwsFault(error, { stage: stage.name, region });
  }
}

/** The account that holds the stage's table. */
async function findAccount(stage: Stage): Promise<string> {
  const client = new DynamoDBClient({});
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: namesOf(stage.name).table }));
    return Table?.TableArn?.split(":")[4] ?? "unknown";
  } finally {
    client.destroy();
  }
}

async function mintToken(stage: Stage, login: string, hours: number): Promise<string> {
  if (stage.oidcIssuer) {
    const { issuer } = stage.oidcIssuer;
    throw new UsageError(`The stage ${stage.name} trusts the tokens of ${issuer} alone: sign in there.`);
  }
  const { id, role, company_id } = await findTokenUser(login, `the stage ${stage.name}`);
  const subject = { id, role, financial_company_id: company_id };
  return signAccessToken(subject, makeFamily(), new Date(), Math.ceil(hours * 60 * 60));
}

import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { withClient } from "../../runtime/aws/with-client.ts";
import { tableNameOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import type { ChosenStage } from "../../stages/stages.ts";
import { inStage } from "./deployed-stage.ts";
import type { Service } from "./tool-service.ts";

/**
 * Runs work on the service of a stage in AWS, with the user's own credentials. Prints account and region on standard
 * error. Throws AWS errors as one sentence that says what to do.
 */
export async function withDeployedService<T>(chosen: ChosenStage, work: (service: Service) => Promise<T>): Promise<T> {
  const { stage } = chosen;
  return inStage(chosen, async (region) => {
    const account = await findAccount(stage);
    process.stderr.write(`Stage ${stage.name}, account ${account}, region ${region}\n`);
    return work({ running: true, processPending: async () => {} });
  });
}

async function findAccount(stage: Stage): Promise<string> {
  const command = new DescribeTableCommand({ TableName: tableNameOf(stage) });
  const { Table } = await withClient(new DynamoDBClient({}), (client) => client.send(command));
  return Table?.TableArn?.split(":")[4] ?? "unknown";
}

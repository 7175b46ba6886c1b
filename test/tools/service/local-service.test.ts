import { existsSync, writeFileSync } from "node:fs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { demoUsers } from "../../../infra/local/demo/demo.ts";
import { machineFile } from "../../../infra/local/local-aws.ts";
import { takeLock } from "../../../infra/runtime/machine-lock.ts";
import { forget } from "../../../infra/tools/forget.ts";
import { runImport } from "../../../infra/tools/import.ts";
import { withLocalService } from "../../../infra/tools/service/local-service.ts";
import { historyPartition } from "../../../shared/records/history.ts";
import { settings } from "../../../shared/run/settings.ts";
import { copyDemo } from "../../support/service/demo-machine.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { runTool } from "../machine.ts";

const directory = newFolder();
beforeAll(() => copyDemo(directory));

test("without a machine that runs, a tool ends when what follows from its writes is done", async () => {
  const { id } = demoUsers.driver;
  // Of a machine that was killed.
  writeFileSync(machineFile(directory), "{}");
  expect(await runTool(() => forget(["--user", String(id), "--yes"], directory))).toMatchObject({ code: 0 });
  const removals = await withLocalService(directory, async ({ running }) => {
    expect(running).toBe(false);
    // The project's own client has the address of the engine that ended.
    const client = new DynamoDBClient({});
    const query = {
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": historyPartition("user", id) },
    };
    const { Items = [] } = await DynamoDBDocumentClient.from(client).send(
      new QueryCommand({ TableName: settings.tableName(), ...query }),
    );
    client.destroy();
    return Items.filter(({ record }) => record.did === "removed");
  });
  expect([removals.length, existsSync(machineFile(directory))]).toEqual([1, false]);
}, 60_000);

test("data that another process uses is left alone", async () => {
  const release = takeLock(directory);
  const refused = runImport([import.meta.filename], directory);
  await expect(refused).rejects.toThrow(/^Another process uses the local data [^\n]*\.$/);
  release?.();
});

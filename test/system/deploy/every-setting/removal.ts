import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { ListSecretsCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { expect, test } from "vitest";
import { namesOf, tableNameOf } from "../../../../infra/stages/names.ts";
import type { Stage } from "../../../../infra/stages/stages.ts";
import { runbookText, shellBlocksOf } from "../../runbook/shell-commands.ts";
import type { Account } from "../account.ts";
import type { Shell } from "./shell.ts";

/** The deployed stage, as far as the tests of a removal need it, and the folder of its last deploy. */
interface RemovalPlace {
  readonly aws: Account;
  readonly settings: () => Stage;
  readonly shell: () => Shell;
  readonly app: string;
}

/** Has vitest remove a stage that keeps its data, by the runbook's chapter. */
export function testRemoval({ aws, settings, shell, app }: RemovalPlace): void {
  const destroy = () => aws.cdk(["destroy", "--force", "--app", app]);

  test("AWS refuses to destroy a stage that keeps its data", async () => {
    const { code, printed } = await destroy();
    expect(printed).toContain("TerminationProtection is enabled");
    expect(code).not.toBe(0);
  });

  test("the runbook's commands destroy it; tables and secrets stay", async () => {
    const [unprotect = ""] = /aws cloudformation update-termination-protection [^`]*/.exec(runbookText()) ?? [];
    await shell()(unprotect);
    const { code, printed } = await destroy();
    expect(printed).toContain(`${namesOf(settings().name).stack}: destroyed`);
    expect(code).toBe(0);
    const { hmacSecret, signingSecret, edgeSecret, webhookSecret } = namesOf(settings().name);
    const table = tableNameOf({ name: settings().name });
    expect(await tables()).toEqual([table, `${table}-2`]);
    expect(await secrets()).toEqual([edgeSecret, hmacSecret, signingSecret, webhookSecret].toSorted());
  });

  test("its commands to delete them for good do so", async () => {
    const [erase = ""] = shellBlocksOf("Remove a stage");
    await shell()(erase);
    expect(await tables()).toEqual([]);
    expect(await secrets()).toEqual([]);
  });
}

async function tables(): Promise<string[]> {
  const client = new DynamoDBClient();
  const { TableNames = [] } = await client.send(new ListTablesCommand());
  client.destroy();
  return TableNames.toSorted();
}

async function secrets(): Promise<(string | undefined)[]> {
  const client = new SecretsManagerClient();
  const { SecretList = [] } = await client.send(new ListSecretsCommand());
  client.destroy();
  return SecretList.map(({ Name }) => Name).toSorted();
}

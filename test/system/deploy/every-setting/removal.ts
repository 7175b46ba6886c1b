import { expect, test } from "vitest";
import { namesOf, tableNameOf } from "../../../../infra/stages/names.ts";
import { readPage, shellBlocksOf } from "../../runbook/shell-commands.ts";
import { listSecrets, listTables } from "../deployed-resources.ts";
import type { Place } from "./place.ts";

/** Has vitest remove a stage that keeps its data, by its chapter in infra/README.md; `app` is the folder of its last deploy. */
export function testRemoval(place: Place, app: string): void {
  const { name } = place.settings;
  const page = readPage("infra/README.md");
  const destroy = () => place.aws.cdk(["destroy", "--force", "--app", app]);

  test("AWS refuses to destroy a stage that keeps its data", async () => {
    const { code, printed } = await destroy();
    expect(printed).toContain("TerminationProtection is enabled");
    expect(code).not.toBe(0);
  });

  test("the commands of its chapter destroy it; tables and secrets stay", async () => {
    const [unprotect = ""] = /aws cloudformation update-termination-protection [^`]*/.exec(page) ?? [];
    await place.shell(unprotect);
    const { code, printed } = await destroy();
    expect(printed).toContain(`${namesOf(name).stack}: destroyed`);
    expect(code).toBe(0);
    const { hmacSecret, signingSecret } = namesOf(name);
    const table = tableNameOf({ name });
    expect(await listTables()).toEqual([table, `${table}-2`]);
    expect(await listSecrets()).toEqual([hmacSecret, signingSecret].toSorted());
  });

  test("its commands to delete them for good do so", async () => {
    const [erase = ""] = shellBlocksOf("Remove a stage", page);
    await place.shell(erase);
    expect(await listTables()).toEqual([]);
    expect(await listSecrets()).toEqual([]);
  });
}

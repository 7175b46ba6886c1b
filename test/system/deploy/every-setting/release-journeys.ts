import { join } from "node:path";
import { GetAliasCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { expect, test } from "vitest";
import { functionNameOf, liveAlias, namesOf } from "../../../../infra/stages/names.ts";
import type { Account } from "../account.ts";
import { region } from "../emulator.ts";
import { installEmulator } from "../install.ts";
import { runProgram } from "../program.ts";
import { readInvoices } from "./journey.ts";
import { deployRelease, type Place, runStageTool } from "./place.ts";
import { careful } from "./releases.ts";

/** The time in which a deploy comes to the alarms of its new versions. */
const longestAlarmMs = 150_000;

/** Has vitest release new versions of a canary stage's functions, and take one back. */
export function testReleases(place: Place): void {
  const { name } = place.settings;
  const rollBack = (...options: string[]) => runStageTool(place, "rollback", ...options);
  const answeredBy = async () => (await readInvoices(place.stage)).release;

  test("a release takes all calls of the main operations once its canary went well", async () => {
    const { code, printed } = await deployRelease(place, "second");
    expect(code, printed).toBe(0);
    expect(await answeredBy()).toBe("second");
    expect(await liveVersions(name)).toEqual(careful.map(() => "2"));
  });

  test("a canary whose alarm fires goes back, and the whole deploy with it", async () => {
    const failing = `${functionNameOf(name, "list-invoices")}-version-3`;
    const [{ code, printed }] = await Promise.all([deployRelease(place, "third"), setAlarm(place.aws, failing)]);
    expect(printed).toContain(`the alarm ${failing} is on`);
    expect(code).not.toBe(0);
    expect(await answeredBy()).toBe("second");
    expect(await liveVersions(name)).toEqual(careful.map(() => "2"));
  });

  test("npm run rollback leads the calls back to the release before, at once", async () => {
    const { code, output } = await rollBack();
    expect(code, output).toBe(0);
    expect(await answeredBy()).toBe("first");
    expect(await liveVersions(name)).toEqual(careful.map(() => "1"));
  });

  test("the next deploy is refused, as somebody else moved the aliases, and leaves them where they are", async () => {
    const { code, printed } = await deployRelease(place, "cure");
    expect(printed).toContain("CodeDeploy: the alias leads to version 1");
    expect(code).not.toBe(0);
    expect(await answeredBy()).toBe("first");
  });

  test("with -c release=now it goes through, and the stack is well", async () => {
    const { code, printed } = await deployRelease(place, "cure", { release: "now" });
    expect(printed).toContain(`✅  ${namesOf(name).stack}`);
    expect(code).toBe(0);
    expect(await answeredBy()).toBe("cure");
  });

  test("a roll-back from there would lead to what was released last, and to no version whose release failed", async () => {
    const { code, output } = await rollBack("--dry-run");
    expect(code, output).toBe(0);
    const moves = [...output.matchAll(/^(\S+): would go from version \d+ to (\d+)$/gm)];
    expect(new Map(moves.map(([, moved, to]) => [moved, to]))).toEqual(new Map(careful.map((each) => [each, "2"])));
  });
}

/** Sets an alarm off as soon as there is one of that name. */
export async function setAlarm({ emulator, directory }: Account, name: string): Promise<void> {
  const environment = { HOME: directory, AWS_DEFAULT_REGION: region, ...emulator.clientEnvironment };
  const script = join(import.meta.dirname, "set_alarm.py");
  const { code, output } = await runProgram(await installEmulator(), [script, name], environment, longestAlarmMs);
  expect(code, output).toBe(0);
}

async function liveVersions(stage: string): Promise<(string | undefined)[]> {
  const client = new LambdaClient();
  const aliases = await Promise.all(
    careful.map((each) =>
      client.send(new GetAliasCommand({ FunctionName: functionNameOf(stage, each), Name: liveAlias })),
    ),
  );
  client.destroy();
  for (const { RoutingConfig } of aliases) expect(RoutingConfig?.AdditionalVersionWeights ?? {}).toEqual({});
  return aliases.map(({ FunctionVersion }) => FunctionVersion);
}

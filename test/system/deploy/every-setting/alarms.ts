import { join } from "node:path";
import { expect } from "vitest";
import type { Account } from "../account.ts";
import { region } from "../emulator.ts";
import { installEmulator } from "../install.ts";
import { runProgram } from "../program.ts";

/** An alarm of a version comes with its nested stack, which waits for those before it in its chain. */
const longestMs = 150_000;

/** Sets an alarm off as soon as there is one of that name. */
export async function setAlarm({ emulator, directory }: Account, name: string): Promise<void> {
  const environment = { HOME: directory, AWS_DEFAULT_REGION: region, ...emulator.clientEnvironment };
  const script = join(import.meta.dirname, "set_alarm.py");
  const { code, output } = await runProgram(await installEmulator(), [script, name], environment, longestMs);
  expect(code, output).toBe(0);
}

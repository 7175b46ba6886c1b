import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adoptedStage } from "./adopted-stage.ts";
import { runProgram } from "./program.ts";

/** Has vitest see what leaves the stage by commands, once it has records; `folder` is where files may be. */
export function testExport(folder: string): void {
  const run = (command: string, ...parameters: string[]) =>
    runProgram(
      process.execPath,
      [`infra/tools/${command}.ts`, ...parameters, "--stage", adoptedStage.name],
      process.env,
      60_000,
    );

  test("an export of the stage has its records in lines, for their owner alone, and the history names their import", async () => {
    const out = join(folder, "exported.jsonl");
    const { code, output } = await run("export", "--types", "job,company", "--out", out);
    expect(output).toMatch(/Records: .*\bjob [1-9]/);
    expect(code).toBe(0);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(existsSync(`${out}.draft`)).toBe(false);
    const lines: { type: string; id: number }[] = readFileSync(out, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(new Set(lines.map(({ type }) => type))).toEqual(new Set(["company", "job"]));
    rmSync(out);
    const [job] = lines.filter(({ type }) => type === "job");
    const story = await run("history", "job", String(job?.id));
    expect(story.output).toMatch(/(?:import|event)/);
    expect(story.code).toBe(0);
  });

  test("a user that nobody knows is not forgotten, and the command says so", async () => {
    const { code, output } = await run("forget", "--user", "999999");
    expect(output).toMatch(/999999/);
    expect(code).not.toBe(0);
  });
}

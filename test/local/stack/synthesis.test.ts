import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { newFolder } from "../../support/service/new-folder.ts";

vi.mock("../../../infra/local/program.ts", () => ({ runModule: vi.fn() }));
// What is set up for every file has loaded it with the program itself.
vi.resetModules();
const { runModule } = await import("../../../infra/local/program.ts");
const { copySynthesis, synthesizeAgain, synthesizeOnce } = await import("../../../infra/local/stack/synthesis.ts");

let directory: string;
let made: number;
const announce = vi.fn();

beforeEach(() => {
  directory = newFolder();
  made = 0;
  announce.mockClear();
  vi.mocked(runModule).mockImplementation(async (_, [folder = ""]) => {
    made += 1;
    mkdirSync(folder);
    writeFileSync(join(folder, "whole-template.json"), JSON.stringify({ made }));
  });
});

test("the stack is synthesised, which is announced, only if a source has changed; a copied folder has it", async () => {
  const first = await synthesizeOnce(directory, announce);
  const [copy, bundles] = [newFolder(), join(directory, "cdk.out/bundles")];
  copySynthesis(directory, copy);
  expect(first).toMatchObject({ template: { made: 1 }, bundles });
  expect(first.sources).toEqual(expect.arrayContaining([expect.stringMatching(/\/infra\/workforce-stack\.ts$/)]));
  expect(await synthesizeOnce(directory, announce)).toEqual(first);
  expect((await synthesizeOnce(copy, announce)).template).toEqual({ made: 1 });
  expect(announce).toHaveBeenCalledTimes(1);
  const file = join(directory, "synthesis.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), digest: "of other sources" }));
  expect((await synthesizeOnce(directory, announce)).template).toEqual({ made: 2 });
  expect(announce).toHaveBeenCalledTimes(2);
});

test("a synthesis that fails leaves the last one in place, and nothing of its own", async () => {
  const first = await synthesizeOnce(directory);
  vi.mocked(runModule).mockImplementation(async (_, [folder = ""]) => {
    mkdirSync(folder);
    throw new Error("no such construct");
  });
  await expect(synthesizeAgain(directory)).rejects.toThrow("no such construct");
  expect(existsSync(join(directory, "cdk.out.next"))).toBe(false);
  expect(await synthesizeOnce(directory, announce)).toEqual(first);
  expect(announce).not.toHaveBeenCalled();
});

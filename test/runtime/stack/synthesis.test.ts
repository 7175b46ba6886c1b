import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { root } from "../../../infra/support/root.ts";
import { newFolder } from "../../support/service/new-folder.ts";

vi.mock("../../../infra/runtime/program.ts", () => ({ runModule: vi.fn() }));
const source = join(newFolder(), "stack.ts");
vi.mock("../../../infra/runtime/program-bundle.ts", () => ({
  bundleProgram: async () => ({ code: "", sources: [source] }),
}));
// What is set up for every file has loaded them.
vi.resetModules();
const { runModule } = await import("../../../infra/runtime/program.ts");
const { synthesizeAgain, synthesizeOnce } = await import("../../../infra/runtime/stack/synthesis.ts");
const { copySynthesis } = await import("../../support/service/made-stack.ts");
const { serviceApp } = await import("../../../infra/local/service-app.ts");

let directory: string;
let made: number;
const announce = vi.fn();

beforeEach(() => {
  directory = newFolder();
  writeFileSync(source, "first");
  made = 0;
  announce.mockClear();
  vi.mocked(runModule).mockImplementation(async (_, [folder = ""]) => {
    made += 1;
    mkdirSync(folder);
    writeFileSync(join(folder, "Workforce-local.template.json"), JSON.stringify({ made }));
  });
});

test("the stack is synthesised, which is announced, only if a source has changed; a copied folder has it", async () => {
  // A synthesis that was killed has left it.
  mkdirSync(join(directory, "cdk.out.next"));
  const first = await synthesizeOnce(serviceApp, directory, announce);
  const [copy, bundles] = [newFolder(), join(directory, "cdk.out/bundles")];
  copySynthesis(directory, copy);
  expect(first).toMatchObject({ template: { made: 1 }, bundles });
  expect(first.sources).toEqual([source, join(root, "package-lock.json"), join(root, "cdk.json")]);
  expect(await synthesizeOnce(serviceApp, directory, announce)).toEqual(first);
  expect((await synthesizeOnce(serviceApp, copy, announce)).template).toEqual({ made: 1 });
  expect(announce).toHaveBeenCalledTimes(1);
  for (const change of [() => writeFileSync(source, "second"), () => rmSync(source)]) {
    change();
    expect((await synthesizeOnce(serviceApp, directory, announce)).template).toEqual({ made });
  }
  expect([made, announce.mock.calls.length]).toEqual([3, 3]);
});

test("the sources of the stack are every file that its program imports", async () => {
  const { bundleProgram } = await vi.importActual<typeof import("../../../infra/runtime/program-bundle.ts")>(
    "../../../infra/runtime/program-bundle.ts",
  );
  const { sources } = await bundleProgram(serviceApp.program);
  expect(sources).toContain(join(root, "infra/workforce-stack.ts"));
});

test("a synthesis that fails leaves the last one in place, and nothing of its own", async () => {
  const first = await synthesizeOnce(serviceApp, directory);
  vi.mocked(runModule).mockImplementation(async (_, [folder = ""]) => {
    mkdirSync(folder);
    throw new Error("no such construct");
  });
  await expect(synthesizeAgain(serviceApp, directory)).rejects.toThrow("no such construct");
  expect(existsSync(join(directory, "cdk.out.next"))).toBe(false);
  expect(await synthesizeOnce(serviceApp, directory, announce)).toEqual(first);
  expect(announce).not.toHaveBeenCalled();
});

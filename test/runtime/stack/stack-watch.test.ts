import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { watchStack } from "../../../infra/runtime/stack/stack-watch.ts";
import { synthesizeAgain } from "../../../infra/runtime/stack/synthesis.ts";
import { newFolder } from "../../support/service/new-folder.ts";

vi.mock("../../../infra/runtime/stack/synthesis.ts", () => ({ synthesizeAgain: vi.fn() }));

const app = { program: "program.ts", stack: "Stack" };

test("a stack that cannot be taken into use stays as it was, and a line says why", async () => {
  const source = join(newFolder(), "stack.ts");
  writeFileSync(source, "1");
  vi.mocked(synthesizeAgain).mockResolvedValue({ template: { Resources: {} }, bundles: "", sources: [source] });
  const lines: string[] = [];
  const watch = watchStack({
    app,
    directory: "",
    made: { from: [source], at: Date.now() },
    replace: async () => {
      throw new Error("another key");
    },
    say: (line) => lines.push(line),
  });
  writeFileSync(source, "changed");
  await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: 5_000 });
  await watch.stop();
  expect(lines).toEqual([expect.stringContaining("stack.ts changed: "), "The stack stays as it was: another key"]);
});

test("a watch that is stopped while it synthesises ends when the new stack is in use", async () => {
  const source = join(newFolder(), "stack.ts");
  const synthesis = Promise.withResolvers<Awaited<ReturnType<typeof synthesizeAgain>>>();
  vi.mocked(synthesizeAgain).mockReturnValue(synthesis.promise);
  const lines: string[] = [];
  const made = { from: [source], at: Date.now() };
  const watch = watchStack({ app, directory: "", made, replace: async () => {}, say: (line) => lines.push(line) });
  writeFileSync(source, "new");
  await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 5_000 });
  const stopped = watch.stop();
  setTimeout(() => synthesis.resolve({ template: { Resources: {} }, bundles: "", sources: [source] }), 50);
  await stopped;
  expect(lines.at(-1)).toBe("The changed stack is in use.");
});

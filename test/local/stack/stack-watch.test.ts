import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { watchStack } from "../../../infra/local/stack/stack-watch.ts";
import { synthesizeAgain } from "../../../infra/local/stack/synthesis.ts";
import { newFolder } from "../../support/service/new-folder.ts";

vi.mock("../../../infra/local/stack/synthesis.ts", () => ({ root: "/", synthesizeAgain: vi.fn() }));

test("a stack that cannot be taken into use stays as it was, and a line says why", async () => {
  const source = join(newFolder(), "stack.ts");
  writeFileSync(source, "1");
  vi.mocked(synthesizeAgain).mockResolvedValue({ template: {}, bundles: "", sources: [source] });
  const lines: string[] = [];
  const watch = watchStack({
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

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { startEngine } from "../../../infra/local/engine/engine.ts";
import { findEngine } from "../../../infra/local/engine/engine-commands.ts";
import { newFolder } from "../../support/service/new-folder.ts";

test.skipIf(inject("engineName") !== "dynoxide")(
  "dynoxide's stream has its index before the first write (with dynoxide alone)",
  async () => {
    vi.stubEnv("DYNAMODB_ENDPOINT", "");
    const folder = newFolder();
    const engine = await startEngine(folder);
    onTestFinished(() => engine.close());
    const database = new DatabaseSync(join(folder, "table.sqlite"), { readOnly: true });
    const index = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND name = 'stream_order'")
      .get();
    database.close();
    expect(index).toEqual({ name: "stream_order" });
  },
);

test("one of the engines that run here is started: the one that is named; an unknown one is refused with the names of all", () => {
  const place = { directory: "data", port: 8_000 };
  const { name } = findEngine(undefined, place);
  expect(findEngine(name, place).name).toBe(name);
  expect(() => findEngine("dynamo", place)).toThrow("choose dynoxide, dynamodb-local.");
});

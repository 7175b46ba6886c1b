import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { startEngine } from "../../../infra/local/engine/engine.ts";
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

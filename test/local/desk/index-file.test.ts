import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { indexOf } from "../../../infra/local/desk/item-index.ts";
import { makeTemporaryFolder } from "../../../infra/local/temporary-folder.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";

test("a stream without an index is read from its beginning, one with an index from where the desk was", async () => {
  const { path, remove } = makeTemporaryFolder("index");
  try {
    const position = join(path, "desk.json");
    const isKept = () => existsSync(position);
    writeFileSync(position, "{}");
    const index = indexOf("stream/1", path);
    expect(isKept()).toBe(false);
    const key = recordKey("JOB", 1);
    index.add([{ eventId: "e1", key, before: undefined, after: { ...key, record: { title: "Loader" } } }]);
    writeFileSync(position, "{}");
    expect(indexOf("stream/1", path).counts()).toEqual({ job: 1 });
    expect(isKept()).toBe(true);
    expect(indexOf("stream/2", path).counts()).toEqual({});
    expect(isKept()).toBe(false);
  } finally {
    remove();
  }
});

test("only its owner reads the index, which has names and logins", () => {
  const { path, remove } = makeTemporaryFolder("index");
  try {
    indexOf("stream/1", path);
    const [file = ""] = readdirSync(path).filter((name) => name.endsWith(".sqlite") && name.startsWith("desk-"));
    expect(statSync(join(path, file)).mode & 0o077).toBe(0);
  } finally {
    remove();
  }
});

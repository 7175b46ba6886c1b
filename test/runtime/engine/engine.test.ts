import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { startEngine } from "../../../infra/runtime/engine/engine.ts";
import { findEngine } from "../../../infra/runtime/engine/engine-commands.ts";
import { root } from "../../../infra/support/root.ts";
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

/** Puts a program first on the PATH. */
function usePrograms(programs: Readonly<Record<string, string>>): void {
  const folder = newFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
}

const javaOf = (version: string) =>
  `test "$1" = -version && echo 'openjdk version "${version}"' >&2 || echo 'no memory' >&2`;

/** A Java of a version that says why it ends. */
const useJava = (version: string) => usePrograms({ java: javaOf(version) });

test("the engine of npm's package for this platform comes first, then dynoxide on the PATH, then Java", () => {
  const find = () => findEngine(undefined, { directory: "data", port: 8_000 });
  const parameters = ["--port", "8000", "--db-path", join("data", "table.sqlite")];
  const own = join(root, `node_modules/@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  const dynoxide = (file: string) => ({ name: "dynoxide", file, arguments: parameters });
  usePrograms({ dynoxide: 'test "$1" = --version', java: javaOf("17") });
  expect(find()).toEqual(dynoxide(existsSync(own) ? own : "dynoxide"));
  const { arch } = process;
  onTestFinished(() => void Object.defineProperty(process, "arch", { value: arch }));
  Object.defineProperty(process, "arch", { value: "riscv64" });
  expect(find()).toEqual(dynoxide("dynoxide"));
  usePrograms({ dynoxide: "exit 1" });
  expect(find().name).toBe("dynamodb-local");
});

test("DynamoDB Local runs on Java 17, with its data in one database of the folder, or in memory", () => {
  const place = { directory: "data", port: 8_000 };
  const find = (more = {}) => findEngine("dynamodb-local", { ...place, ...more });
  useJava("17.0.15");
  const jar = expect.stringMatching(/\/lib\/dynamodb_local_[^/]+\/DynamoDBLocal\.jar$/);
  const natives = expect.stringMatching(/^-Djava\.library\.path=.+\/lib\/dynamodb_local_[^/]+\/DynamoDBLocal_lib$/);
  const flags = [natives, "-jar", jar, "-disableTelemetry", "-port", "8000"];
  expect(find()).toEqual({
    name: "dynamodb-local",
    file: "java",
    arguments: [...flags, "-sharedDb", "-dbPath", "data"],
  });
  expect(find({ temporary: true }).arguments).toEqual([...flags, "-inMemory"]);
  useJava("16.0.2");
  expect(find).toThrow("The DynamoDB engine dynamodb-local cannot run on this machine.");
});

test("an engine that ends at once is an error with its last words", async () => {
  vi.stubEnv("DYNAMODB_ENDPOINT", "");
  vi.stubEnv("DYNAMODB_ENGINE", "dynamodb-local");
  useJava("21");
  await expect(startEngine(newFolder())).rejects.toThrow("The DynamoDB engine dynamodb-local ended at once: no memory");
});

import { mkdir, readFile, rename, rmdir, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type * as Source from "../../../shared/client/index.ts";
import type { TokenStore } from "../../../shared/client/store.ts";

// A process of its own with a client whose store is a file: each message of the parent is a call, each answer its outcome.
const [entry = "", baseUrl = "", file = "", locks] = process.argv.slice(2);
const { createClient }: typeof Source = await import(entry);

const store: TokenStore = {
  get: async () => JSON.parse(await readFile(file, "utf8")),
  async set(session) {
    const made = `${file}.${process.pid}`;
    await writeFile(made, JSON.stringify(session));
    await rename(made, file);
  },
  clear: () => writeFile(file, "{}"),
  ...(locks && { lock }),
};

/** A folder is made by one process only. */
async function lock<T>(work: () => Promise<T>): Promise<T> {
  const held = `${file}.lock`;
  const isTaken = () =>
    mkdir(held).then(
      () => false,
      () => true,
    );
  while (await isTaken()) await pause(5);
  return work().finally(() => rmdir(held));
}

const client = createClient({ baseUrl, store });
process.on("message", async () => {
  const outcome = await client.getProfile().then(
    () => "answered",
    (error: Error & { code?: string }) => error.code ?? String(error),
  );
  process.send?.(outcome);
});
process.send?.("ready");

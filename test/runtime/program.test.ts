import { expect, test } from "vitest";
import { runModule } from "../../infra/runtime/program.ts";

test("a module gets its parameters, what it is given of the environment, and of this process's no more than it needs to run", async () => {
  process.env.OF_THIS_PROCESS = "1";
  const code = `
    const { OF_THIS_PROCESS, OWN, TZ, PATH, HOME } = process.env;
    const seen = JSON.stringify([process.argv.slice(2), OF_THIS_PROCESS ?? null, OWN, TZ, PATH, HOME]);
    if (seen !== ${JSON.stringify(JSON.stringify([["one"], null, "2", "UTC", process.env.PATH, process.env.HOME]))}) throw new Error(seen);`;
  await runModule(code, ["one"], { OWN: "2" });
});

test.each([
  [
    "console.error('file:///a/b.ts:7\\n  code\\nRangeError [X]: too far\\n    at c (d.ts:1)'); process.exit(1);",
    "/a/b.ts:7: RangeError [X]: too far",
  ],
  ["console.error('\\nsaid\\nmore'); process.exit(3);", "said"],
])("a module that fails is an error with its place and reason, or with the first words: %s", async (code, message) => {
  await expect(runModule(code, [])).rejects.toThrow(new Error(message));
});

test("a module ends with this process", async () => {
  const before = process.listeners("exit");
  const running = runModule("setInterval(() => {}, 1_000);", []);
  for (const end of process.listeners("exit")) if (!before.includes(end)) (end as () => void)();
  await expect(running).rejects.toThrow();
  expect(process.listeners("exit")).toEqual(before);
}, 5_000);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { runProgram } from "../machine.ts";

test("a command whose reader closes the pipe, such as head, ends quietly", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../../infra/tools/openapi.ts")]);
  let err = "";
  child.stderr.on("data", (text) => {
    err += text;
  });
  // The document is longer than a pipe holds.
  child.stdout.once("data", () => child.stdout.destroy());
  const [code] = await once(child, "close");
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test("any other fault of the output is thrown", async () => {
  await runProgram(() => 0);
  expect(() => process.stdout.emit("error", new Error("EIO"))).toThrow("EIO");
});

test.each(["client", "token"])("the program of npm run %s answers", async (name) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, `../../../infra/tools/${name}.ts`), "--help"]);
  expect(await text(child.stdout)).toMatch(new RegExp(`^npm run ${name} `));
});

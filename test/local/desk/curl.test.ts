import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CurlRequest, curlOf } from "../../../infra/local/desk/page/curl.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const directory = newFolder();
const trap = join(directory, "trap");
const hostile = [
  `it's "quoted"`,
  "first\nsecond\n",
  `$(touch ${trap})`,
  `\`touch ${trap}\``,
  `'; touch ${trap}; '`,
  `'$(touch ${trap})'`,
  "\\' \\n %s $HOME !! {a,b} *",
  "é € 🚚",
];

/** The arguments of curl when a shell runs the command; npm prints a token. */
function runInBash(command: string): string[] {
  const script = `npm() { printf 'TOKEN(%s)' "\${@: -1}"; }\ncurl() { printf '%s\\0' "$@"; }\n${command}\n`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", script], { cwd: directory, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\0").slice(0, -1);
}

const usual: CurlRequest = { method: "PATCH", url: "http://127.0.0.1:3000/a", headers: {}, body: null, login: null };

test.each(hostile)("a shell reads nothing in a request that holds %j", (text) => {
  const given = runInBash(
    curlOf({ ...usual, url: `http://h/?q=${text}`, headers: { "x-note": text }, body: text, login: text }),
  );
  expect(given).toEqual([
    "-sw",
    "\\n",
    "-g",
    "-X",
    "PATCH",
    `http://h/?q=${text}`,
    "-H",
    `Authorization: Bearer TOKEN(${text})`,
    "-H",
    `x-note: ${text}`,
    "--data-raw",
    text,
  ]);
  expect(existsSync(trap)).toBe(false);
});

test("a method is quoted, too; what the connection or a browser adds and what is not kept is left out", () => {
  const added = { host: "h", "content-length": "2", "sec-fetch-site": "none", "x-amzn-trace-id": "r", cookie: "c" };
  const headers = { ...added, "known-client": "(masked)", authorization: "Bearer x", accept: "a" };
  const command = curlOf({ ...usual, method: `$(touch ${trap})`, headers });
  expect(runInBash(command)).toEqual(["-sw", "\\n", "-g", "-X", `$(touch ${trap})`, usual.url, "-H", "accept: a"]);
  expect(existsSync(trap)).toBe(false);
});

import { expect, test } from "vitest";
import { demoPassword } from "../../../infra/local/demo/demo-people.ts";
import { takeLock } from "../../../infra/runtime/machine-lock.ts";
import { send } from "../../support/requests/http-client.ts";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { makeDirectory, runTool, startByNpm, startLocalMachine } from "../../support/service/local-machine.ts";

// As a newcomer meets it: nothing was built before.
const directory = makeDirectory();
const own = useOwnMachine(directory);
const { request } = own;

test("the machine says what it builds, and its people sign in", async () => {
  for (const step of ["Building the stack", "Loading the demo data"]) {
    expect(own.machine.output()).toMatch(new RegExp(`^${step} …$`, "m"));
  }
  for (const role of ["admin", "operator", "client", "driver"]) {
    const bearer = await own.machine.tokenOf(role);
    expect((await send(own.machine.baseUrl, "GET", "/api/v1/users/me", { bearer })).body.user.role).toBe(role);
  }
}, 60_000);

test("a reset token is taken by a command, also twice in a row; the demo password is printed while it is true", async () => {
  const reset = { password: "seven quiet harbours", password_confirmation: "seven quiet harbours" };
  const role = "client";
  const passwordIn = (printed: string) => new RegExp(`^${role}\\b.*\\S+@\\S+\\s+(.*)$`, "m").exec(printed)?.[1];
  expect(passwordIn(own.machine.output())).toBe(`password: ${demoPassword}`);
  for (const _ of ["once", "twice"]) {
    const parameters = ["reset-token", own.machine.loginOf(role)];
    const { code, stdout } = await runTool("infra/tools/local.ts", parameters, directory.path);
    expect(code).toBe(0);
    const body = { user: { reset_password_token: stdout.trim(), ...reset } };
    expect((await request("PUT", "/api/v1/users/password", { body })).status).toBe(200);
  }
  expect(await own.machine.interrupt()).toBe(0);
  own.machine = await startLocalMachine(directory.path);
  expect(passwordIn(own.machine.output())).toBe("password changed");
  expect(own.machine.output()).not.toContain("Building");
}, 180_000);

test.each(
  usualOrFull<readonly NodeJS.Signals[]>(["SIGKILL"], ["SIGTERM", "SIGKILL"]),
)("npm that is ended by %s takes the server with it", async (signal) => {
  const own = await makeDemoDirectory();
  const npm = await startByNpm(own.path);
  expect((await fetch(`${npm.baseUrl}/api/v1/health`)).status).toBe(200);
  npm.kill(signal);
  const answers = () =>
    fetch(`${npm.baseUrl}/api/v1/health`).then(
      () => true,
      () => false,
    );
  await expect.poll(answers, { timeout: 15_000 }).toBe(false);
  const isFree = () => {
    const release = takeLock(own.path);
    release?.();
    return release !== undefined;
  };
  await expect.poll(isFree, { timeout: 15_000 }).toBe(true);
  own.remove();
}, 180_000);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { scheduler } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type ChildService, startChild } from "../../../infra/runtime/engine/child-service.ts";
import { isAlive } from "../../../infra/support/is-alive.ts";
import { root } from "../../../infra/support/root.ts";

const forever = ["-c", "echo $$; exec sleep 600"];

function start(parameters: string[]): ChildService {
  const child = startChild("sh", parameters);
  onTestFinished(child.close);
  return child;
}

describe("a child service", () => {
  it("is gone when close has returned", async () => {
    const child = start(forever);
    expect(child.ended()).toBe(false);
    await child.close();
    expect(child.ended()).toBe(true);
  });

  it("that does not end when it is asked to is killed after five seconds", async () => {
    const child = start(["-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"]);
    await expect.poll(() => child.lastWords()).toBe("ready");
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = child.close();
    vi.advanceTimersByTime(4_999);
    await scheduler.wait(200);
    expect(child.ended()).toBe(false);
    vi.advanceTimersByTime(1);
    await closed;
    expect(child.ended()).toBe(true);
  });

  it("that ends by itself leaves its last words, the newest 2,000 characters", async () => {
    const child = start(["-c", "{ head -c 3000 /dev/zero | tr '\\0' x; echo '\nno such option'; } >&2"]);
    const words = `${"x".repeat(2_000 - "\nno such option\n".length)} no such option`;
    await expect.poll(() => child.ended() && child.lastWords()).toBe(words);
  });

  it("that cannot be started has ended, and says why", async () => {
    const child = startChild("/nowhere", []);
    await expect.poll(() => child.ended() && child.lastWords()).toBe("spawn /nowhere ENOENT");
    await child.close();
  });

  it.concurrent.each([
    "SIGKILL",
    "SIGTERM",
    "SIGINT",
  ] as const)("ends with a parent that is ended by %s", async (signal) => {
    const module = pathToFileURL(`${root}infra/runtime/engine/child-service.ts`);
    const program = `
      const { startChild } = await import(${JSON.stringify(module.href)});
      const child = startChild("sh", ${JSON.stringify(forever)});
      const timer = setInterval(() => child.lastWords() && console.log(child.lastWords()), 20);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program]);
    const [printed] = await once(parent.stdout, "data");
    const pid = Number.parseInt(String(printed), 10);
    // Ctrl-C reaches its parent alone: it leads a group of processes of its own.
    expect(isAlive(-pid)).toBe(true);
    parent.kill(signal);
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });
});

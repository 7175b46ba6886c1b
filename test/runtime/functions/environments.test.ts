import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createEnvironments, type Environments } from "../../../infra/runtime/functions/environments.ts";
import type { LocalFunction } from "../../../infra/runtime/stack/template.ts";
import { isAlive } from "../../../infra/support/is-alive.ts";
import { newFolder } from "../../support/service/new-folder.ts";

let directory: string;
let environments: Environments;
let output: string;
let revision: number;
/** The functions of the stack. */
let functions: LocalFunction[];

beforeEach(() => {
  directory = newFolder();
  output = "";
  revision = 1;
});

afterEach(async () => {
  vi.useRealTimers();
  await environments.close();
});

function functionOf(name: string, OWN = name, timeoutSeconds = 5): LocalFunction {
  return { name, directory: join(directory, name), environment: { OWN }, timeoutSeconds, memoryMegabytes: 128 };
}

/** Makes functions of these bodies; each gets `event` and `context`. */
function define(bodies: Record<string, string>, timeoutSeconds = 5): void {
  for (const [name, body] of Object.entries(bodies)) write(name, body);
  functions = Object.keys(bodies).map((name) => functionOf(name, name, timeoutSeconds));
  environments = createEnvironments({
    current: () => ({
      stack: { functions },
      functionEnvironment: (name) => ({
        AWS_REGION: "eu-west-2",
        ...functions.find((each) => each.name === name)?.environment,
      }),
    }),
    builds: { build: async () => String(revision) },
    output: (text) => {
      output += text;
    },
  });
}

function write(name: string, body: string): void {
  mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, name, "index.mjs"), `export const handler = async (event, context) => { ${body} };`);
}

describe("a function", () => {
  it("sees its own settings and the common ones, and nothing of this process but its debugger", async () => {
    for (const name of ["OF_THIS_PROCESS", "NODE_OPTIONS"]) vi.stubEnv(name, "--no-warnings");
    define({ show: "return { ...process.env };", debugged: "return { ...process.env };" });
    const seen = await environments.invoke("show", {});
    expect(seen).toMatchObject({
      OWN: "show",
      AWS_REGION: "eu-west-2",
      AWS_LAMBDA_FUNCTION_NAME: "show",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "128",
      AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.replace(/\..*/, "")}.x`,
    });
    for (const name of ["OF_THIS_PROCESS", "NODE_OPTIONS"]) expect(seen).not.toHaveProperty(name);
    const VSCODE_INSPECTOR_OPTIONS = "{}";
    vi.stubEnv("VSCODE_INSPECTOR_OPTIONS", VSCODE_INSPECTOR_OPTIONS);
    const debugged = await environments.invoke("debugged", {});
    expect(debugged).toMatchObject({ VSCODE_INSPECTOR_OPTIONS, NODE_OPTIONS: "--no-warnings" });
  });

  it("is given the event and a context that counts down", async () => {
    define({ echo: "return [event, context, context.getRemainingTimeInMillis()];" });
    const [event, context, left] = (await environments.invoke("echo", { a: 1 })) as [unknown, object, number];
    expect(event).toEqual({ a: 1 });
    expect(context).toMatchObject({
      functionName: "echo",
      invokedFunctionArn: "arn:aws:lambda:eu-west-2:000000000000:function:echo",
      memoryLimitInMB: "128",
      logGroupName: "/aws/lambda/echo",
    });
    expect(left).toBeGreaterThan(4_000);
    expect(left).toBeLessThanOrEqual(5_000);
  });

  it("stays warm, and takes one event at a time in each of up to four environments", async () => {
    const body =
      "const here = (globalThis.here ??= { id: crypto.randomUUID(), calls: 0, most: 0 }); here.calls += 1; here.most = Math.max(here.most, here.calls);" +
      "await new Promise((go) => setTimeout(go, 20)); here.calls -= 1; return here;";
    define({ meet: body });
    const inTurn = [await environments.invoke("meet", {}), await environments.invoke("meet", {})] as { id: string }[];
    expect(inTurn[0]?.id).toBe(inTurn[1]?.id);
    const calls = Array.from({ length: 12 }, () => environments.invoke("meet", {}));
    const answers = (await Promise.all(calls)) as { id: string; most: number }[];
    expect(new Set(answers.map(({ id }) => id)).size).toBe(4);
    expect(Math.max(...answers.map(({ most }) => most))).toBe(1);
  });

  it("that returns nothing, or throws an error or anything else, says so", async () => {
    define({
      silent: "",
      words: "throw 'words';",
      fail: "throw new RangeError('too far');",
      pid: "throw process.pid;",
    });
    expect(await environments.invoke("silent", {})).toBeUndefined();
    await expect(environments.invoke("words", {})).rejects.toMatchObject({ errorType: "Error", message: "words" });
    await expect(environments.invoke("fail", {})).rejects.toMatchObject({
      errorType: "RangeError",
      message: "too far",
    });
    const thrown = () => environments.invoke("pid", {}).catch(String);
    expect(await thrown()).toBe(await thrown());
  });

  it("goes on when its bytes and text are written", async () => {
    const body =
      "await new Promise((done) => process.stdout.write(Buffer.from('bytes '), done));" +
      "await new Promise((done) => process.stderr.write('text', 'utf8', done));";
    define({ write: body });
    await environments.invoke("write", {});
    expect(output).toBe("bytes text");
  });

  it("that takes too long is ended, even in an endless loop, and works at the next call", async () => {
    const body = "if (event.forever) for (;;); await new Promise((go) => setTimeout(go, event.ms)); return 'fine';";
    define({ loop: body }, 0.3);
    for (const event of [{ forever: true }, { ms: 500 }]) {
      const message = "Task timed out after 0.30 seconds";
      await expect(environments.invoke("loop", event)).rejects.toMatchObject({
        errorType: "Sandbox.Timedout",
        message,
      });
    }
    expect(await environments.invoke("loop", {})).toBe("fine");
  });

  it.each([
    ["exits", "if (event.bad) process.exit(3); return 'fine';", /exited with code 3/],
    [
      "crashes aside",
      "if (event.bad) { setImmediate(() => { throw new Error('aside'); }); await new Promise(() => {}); } return 'fine';",
      /aside/,
    ],
  ])("that %s fails that call and works at the next", async (_, body, message) => {
    define({ frail: body });
    await expect(environments.invoke("frail", { bad: true })).rejects.toThrow(message);
    expect(await environments.invoke("frail", {})).toBe("fine");
  });

  it("that takes more memory than it has fails that call and works at the next", async () => {
    const body =
      "const kept = []; while (event.isHungry) kept.push(Array.from({ length: 1e6 }, Math.random)); return 'fine';";
    define({ hungry: body }, 30);
    await expect(environments.invoke("hungry", { isHungry: true })).rejects.toMatchObject({
      errorType: "Runtime.OutOfMemory",
    });
    expect(await environments.invoke("hungry", {})).toBe("fine");
  });

  it("that writes a megabyte is heard to the end, one that writes without end is cut off", async () => {
    define({ chatty: "for (let at = 0; at < event.megabytes; at += 1) console.log('x'.repeat(1e6)); return 'fine';" });
    let written = "";
    const listen = (text: string) => {
      written += text;
    };
    expect(await environments.invoke("chatty", { megabytes: 1 }, listen)).toBe("fine");
    expect(written).toHaveLength(1e6 + 1);
    written = "";
    expect(await environments.invoke("chatty", { megabytes: 50 }, listen)).toBe("fine");
    expect(written.length).toBeLessThan(5e6);
    expect(written).toMatch(/x\n\[[^[]+ is left out\]\n$/);
    expect(output).toBe("");
  });

  it("gives what it writes to the call that it writes it in, before its answer or its end", async () => {
    define({ say: "console.log(event.word); if (event.end) process.exit(1); return event.word;" });
    const words = async (word: string, end = false) => {
      let heard = "";
      const call = environments.invoke("say", { word, end }, (text) => {
        heard += text;
      });
      await Promise.allSettled([call]);
      return heard;
    };
    expect(await Promise.all([words("one"), words("two"), words("last", true)])).toEqual(["one\n", "two\n", "last\n"]);
  });

  it("that nobody calls for a while ends, and starts again at the next call", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    define({ count: "globalThis.calls = (globalThis.calls ?? 0) + 1; return [process.pid, globalThis.calls];" });
    let pid = 0;
    for (const calls of [1, 2, 3]) {
      const [running, counted] = (await environments.invoke("count", {})) as [number, number];
      // Ctrl-C reaches the machine alone: the process leads a group of its own.
      expect([counted, isAlive(-running)]).toEqual([calls, true]);
      pid = running;
      vi.advanceTimersByTime(7_999);
    }
    vi.advanceTimersByTime(1);
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
    expect(await environments.invoke("count", {})).toEqual([expect.any(Number), 1]);
  });

  it("whose module never ends to load is called after 10 seconds all the same, and takes too long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    define({ stuck: "" });
    const module = "setInterval(() => {}, 1_000); await new Promise(() => {});";
    writeFileSync(join(directory, "stuck", "index.mjs"), module);
    const onError = vi.fn();
    const called = environments.invoke("stuck", {}).catch(onError);
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000 + 4_999);
    expect(onError).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await called;
    expect(onError.mock.calls).toMatchObject([[{ errorType: "Sandbox.Timedout" }]]);
  });

  it("whose settings or place in the stack change runs with them from the next call on", async () => {
    define({ show: "return process.env.OWN;", gone: "return 1;", kept: "return process.pid;" });
    await environments.invoke("show", {});
    const pid = await environments.invoke("kept", {});
    functions = [functionOf("show", "new"), functionOf("kept")];
    expect(await environments.invoke("kept", {})).toBe(pid);
    expect(await environments.invoke("show", {})).toBe("new");
    await expect(environments.invoke("gone", {})).rejects.toThrow("no function gone");
  });

  it("that cannot be loaded says why at every call until it can", async () => {
    define({ broken: "" });
    writeFileSync(join(directory, "broken", "index.mjs"), "throw new Error('no start');");
    for (let call = 0; call < 2; call += 1) {
      await expect(environments.invoke("broken", {})).rejects.toThrow("no start");
    }
    writeFileSync(join(directory, "broken", "index.mjs"), "export const handle = 1;");
    await expect(environments.invoke("broken", {})).rejects.toThrow("index.handler is undefined or not exported");
    write("broken", "return 'fine';");
    expect(await environments.invoke("broken", {})).toBe("fine");
  });

  it("runs its new bundle from the next call on, while a call in hand ends on the old one", async () => {
    define({ change: "console.log('in hand'); await new Promise((go) => setTimeout(go, 200)); return 'old';" });
    const inHand = environments.invoke("change", {});
    await expect.poll(() => output).toContain("in hand");
    write("change", "return 'new';");
    revision += 1;
    expect(await environments.invoke("change", {})).toBe("new");
    expect(await inHand).toBe("old");
  });
});

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { faultsOf } from "../../../infra/stages/stage-rules.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { createApp } from "../../../infra/synthesize.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const outdir = newFolder();

test("the app ends with 1 and the sentences alone when a stage still has placeholders", async () => {
  const stderr = `${faultsOf(findStage("prod")).join("\n")}\n`;
  expect(await synth("prod")).toEqual({ status: 1, stdout: "", stderr });
});

test("the app ends with 1 and one sentence when no stage has that name", async () => {
  const stderr = 'There is no stage "nope"; the stages are dev, staging, prod, local.\n';
  expect(await synth("nope")).toEqual({ status: 1, stdout: "", stderr });
});

test("the app ends with 1 when release is anything but now", async () => {
  const stderr = 'Leave release out, or set it to now (-c release=now): it is "nwo".\n';
  expect(await synth("dev", { release: "nwo" })).toEqual({ status: 1, stdout: "", stderr });
});

test("the app ends with 1 when a stage does not say at which host it is to be asked from outside", async () => {
  const stderr = "Set probedHost of the stage dev in infra/stages/stages.ts to the host that clients call.\n";
  expect(await synth("dev", { stack: "probe" })).toEqual({ status: 1, stdout: "", stderr });
});

test("cdk.json decides every feature flag that the CDK recommends, and every synthesis has them", () => {
  const recommended = createRequire(import.meta.url)("aws-cdk-lib/recommended-feature-flags.json") as object;
  const { context } = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")) as { context: object };
  expect(Object.keys(context)).toEqual(expect.arrayContaining(Object.keys(recommended)));
  const { node } = createApp({ outdir });
  for (const [flag, value] of Object.entries(context)) expect(node.tryGetContext(flag), flag).toEqual(value);
});

/** Loads the app as the cdk command does with `-c stage=<name>` and other context; to start it takes a second of a processor. */
async function synth(stage: string, context: object = {}) {
  const texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += text;
      return true;
    }),
  );
  const { exitCode } = process;
  const listeners = process.listeners("beforeExit");
  vi.stubEnv("CDK_CONTEXT_JSON", JSON.stringify({ stage, ...context }));
  vi.stubEnv("CDK_OUTDIR", outdir);
  vi.resetModules();
  try {
    await import("../../../infra/app.ts");
    return { status: process.exitCode, ...texts };
  } finally {
    process.exitCode = exitCode;
    // The app would synthesise again when this process ends.
    for (const each of process.listeners("beforeExit")) if (!listeners.includes(each)) process.off("beforeExit", each);
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

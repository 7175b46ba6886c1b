import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { faultsOf } from "../../../infra/stages/stage-rules.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { createApp } from "../../../infra/synthesize.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { ownedStage } from "./owned-stage.ts";

const outdir = newFolder();

test("the app ends with 1 and the sentences alone when a stage still has placeholders", async () => {
  const { status, stdout, stderr } = await synth("prod");
  const [edge, ...placeholders] = stderr.trim().split("\n").toReversed();
  expect({ status, stdout, placeholders: placeholders.toReversed() }).toEqual({
    status: 1,
    stdout: "",
    placeholders: faultsOf(findStage("prod")),
  });
  expect(edge).toMatch(/^Set edge of the stage prod /);
});

test("the app ends with 1 and one sentence when no stage has that name", async () => {
  const stderr = 'There is no stage "nope"; the stages are dev, staging, prod, local.\n';
  expect(await synth("nope")).toEqual({ status: 1, stdout: "", stderr });
});

test("the app ends with 1 when release is anything but now", async () => {
  const stderr = 'Leave release out, or set it to now (-c release=now): it is "nwo".\n';
  expect(await synth("dev", { release: "nwo" })).toEqual({ status: 1, stdout: "", stderr });
});

test("the app ends with 1 before it makes anything of a stage with a wrong setting", async () => {
  const file = join(outdir, "wrong.json");
  writeFileSync(file, JSON.stringify({ dev: { ...findStage("dev"), webhooks: {} } }));
  const stderr = expect.stringMatching(/^Set webhooks of the stage dev /);
  expect(await synth("dev", { stages: file })).toEqual({ status: 1, stdout: "", stderr });
});

test("the app ends with 1 when a stage does not say at which host it is to be asked from outside", async () => {
  const stderr = "Set probedHost of the stage dev in infra/stages/stages.ts to the host that clients call.\n";
  expect(await synth("dev", { stack: "probe" })).toEqual({ status: 1, stdout: "", stderr });
});

test("the app makes the firewall of a stage that cannot name an edge yet", async () => {
  const keeping = { ...ownedStage("prod"), edge: undefined };
  const file = join(outdir, "stages.json");
  writeFileSync(file, JSON.stringify({ prod: keeping }));
  const context = { stages: file, "aws:cdk:enable-path-metadata": false };
  vi.stubEnv("WORKFORCE_STAGES", "other.ts");
  expect(await synth("prod", { ...context, stack: "firewall" })).toEqual({ status: undefined, stdout: "", stderr: "" });
  const { status, stderr } = await synth("prod", context);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Set edge of the stage prod /)]);
});

test("the app says what a lock keeps from being deleted, and until when", async () => {
  const file = join(outdir, "locked.json");
  writeFileSync(file, JSON.stringify({ prod: { ...ownedStage("prod"), backupLockDays: 14 } }));
  const { status, stderr } = await synth("prod", { stages: file, stack: "firewall" });
  expect([status, stderr]).toEqual([
    undefined,
    expect.stringMatching(/^No backup in the vault workforce-prod can be deleted before it is 14 days old /),
  ]);
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
  // The app sets it.
  vi.stubEnv("WORKFORCE_STAGES", undefined);
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

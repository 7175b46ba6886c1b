import { faultFields, log } from "../../shared/logger.ts";
import { count } from "../../shared/metrics.ts";
import { answerHook, findRelease, type HookCall, invoke, readHookCall } from "../../shared/releases/deployment.ts";
import { probedOperations, probeRelease, type Verdict } from "../../shared/releases/probe.ts";
import { probeUser } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";
import { forSchedule } from "../../shared/workers/schedule-worker.ts";

/**
 * Tries a new version before it gets calls, and stops its release if it fails where the version before does not. A probe
 * that proves nothing stops no release, because a release may be the cure; it is counted for an alarm.
 */
export const handler = forSchedule(async (_, event) => {
  const hook = readHookCall(event);
  const verdict = await judge(hook).catch((error): Verdict => {
    log("error", "probe failed", faultFields(error));
    return "unproven";
  });
  log("info", "release probed", { code: verdict });
  if (verdict === "unproven") count("ReleasesUnproven", {});
  await answerHook(hook, verdict !== "fails");
}, readHookCall);

async function judge(hook: HookCall): Promise<Verdict> {
  const { functionName, currentVersion, targetVersion } = await findRelease(hook);
  const stagePrefix = settings.functionName().slice(0, -settings.operation().length);
  const name = probedOperations.find((each) => functionName === stagePrefix + each);
  if (name === undefined) throw new Error("The release is of a function that no probe knows");
  return probeRelease(name, await probeUser(), (operation, version, event) => {
    if (operation !== name) return invoke(stagePrefix + operation, "live", event);
    return invoke(functionName, version === "new" ? targetVersion : currentVersion, event);
  });
}

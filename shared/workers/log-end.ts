import { faultFields, type LogFields, log, sentSoFar, takeStartMilliseconds, uptimeMs } from "../run/log.ts";

/**
 * Runs a worker's work and logs its end in one line: `processed` with the fields that the work returns, or `fault` with
 * the cause, which is rethrown. Both lines have `about`.
 */
export async function logEnd<T>(
  work: () => Promise<T>,
  about: LogFields = {},
  whyOf: (thrown: unknown) => LogFields = faultFields,
): Promise<T> {
  const startedAt = uptimeMs();
  const times = () => ({
    ...about,
    duration_ms: Math.round(uptimeMs() - startedAt),
    init_ms: takeStartMilliseconds(),
    ...sentSoFar(),
  });
  try {
    const done = await work();
    log("info", "processed", times());
    return done;
  } catch (error) {
    log("error", "fault", { ...times(), ...whyOf(error) });
    throw error;
  }
}

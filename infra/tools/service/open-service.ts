import type { ChosenStage } from "../../stages/stages.ts";
import { messageOf } from "../../support/message-of.ts";
import { kindOfAwsFault } from "../aws/aws-faults.ts";
import { TableOutage, withPatientTable } from "../aws/patience.ts";
import { StoppedError, UsageError } from "../cli/command.ts";
import { createProgressLine, type ProgressLine } from "../cli/progress-line.ts";
import { withDeployedService } from "./deployed-service.ts";
import { withLocalService } from "./local-service.ts";
import type { Service } from "./tool-service.ts";

/** A service: that of a stage in AWS or, without a stage, that of a local machine's directory. */
export interface ServiceTarget {
  readonly stage: ChosenStage | undefined;
  readonly directory: string;
}

interface Work extends ServiceTarget {
  /** Ends the wait for a table that refuses calls. */
  readonly signal?: AbortSignal | undefined;
  /** The last line after a failure: the thing to do next. An outage ends by itself, or by signing in again. */
  next?(failure: { readonly isOutage: boolean }): string | undefined;
}

const again = ({ isOutage }: { readonly isOutage: boolean }) => (isOutage ? "Run the same command again." : undefined);

/**
 * Runs work on a service, which is closed afterwards even if the work fails. Calls of the table are patient, and the
 * progress says for how long they wait.
 */
export async function withService<T>(
  { stage, directory, signal, next = again }: Work,
  work: (service: Service, progress: ProgressLine) => Promise<T>,
): Promise<T> {
  const progress = createProgressLine(process.stderr);
  let hasBegun = false;
  const patient = (service: Service) => {
    hasBegun = true;
    return withPatientTable(() => work(service, progress), progress.waits, signal);
  };
  try {
    return await (stage === undefined ? withLocalService(directory, patient) : withDeployedService(stage, patient));
  } catch (error) {
    const advice = hasBegun && !(error instanceof UsageError) ? next({ isOutage: isOutage(error) }) : undefined;
    if (advice === undefined) throw error;
    const Failure = signal?.aborted ? StoppedError : Error;
    throw new Failure(`${messageOf(error)}\n${advice}`, { cause: error });
  } finally {
    progress.end();
  }
}

function isOutage(error: unknown): boolean {
  const kind = kindOfAwsFault(error instanceof Error && error.cause ? error.cause : error);
  return error instanceof TableOutage || kind === "unreachable" || kind === "expired";
}

import { withDeployedService } from "./deployed-service.ts";
import { withLocalService } from "./local-service.ts";
import type { Service } from "./tool-service.ts";

/** A service: that of a stage in AWS or, without a stage, that of a local machine's directory. */
export interface ServiceTarget {
  readonly stage: string | undefined;
  readonly directory: string;
}

/** Runs work on a service, which is closed afterwards even if the work fails. */
export function withService<T>(
  { stage, directory }: ServiceTarget,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  return stage === undefined ? withLocalService(directory, work) : withDeployedService(stage, work);
}

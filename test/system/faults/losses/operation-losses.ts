import type { OperationName } from "../../../../shared/contract/operations.ts";
import { call, type TestRequest } from "../../../support/requests/call.ts";
import { allowedUser, endpoints } from "../../../support/requests/every-operation.ts";
import type { Service } from "../../../support/service/service.ts";
import { accountLosses, sessionLosses } from "./account-losses.ts";
import { recordLosses } from "./record-losses.ts";
import type { LossPlan } from "./scenario.ts";

/** Operations with a plan of their own. */
export function ownPlansOf(service: Service): Readonly<Partial<Record<OperationName, LossPlan>>> {
  return { ...sessionLosses, ...accountLosses(service), ...recordLosses };
}

/** The plan of an operation that only reads: it answers as it does when nothing is lost. */
export function reading(name: OperationName): LossPlan {
  return {
    holds: "the answer is as ever",
    prepare: async () => {
      const endpoint = endpoints.find((each) => each.name === name);
      if (!endpoint) throw new Error(`There is no operation ${name}`);
      const { operation, handler, sample } = endpoint;
      const sent = { as: allowedUser(operation), ...sample } as TestRequest;
      const { status } = await call(handler, operation, sent);
      return { attempt: async () => (await call(handler, operation, sent)).status === status };
    },
  };
}

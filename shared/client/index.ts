import { type ClientOperations, createCaller, type MethodName } from "./client.ts";
import type { ClientSettings, IdempotentCallOptions, ListRequest, SessionMethods } from "./client-settings.ts";
import type { Fields } from "./exchange.ts";
import { listOf, requestList } from "./pages.ts";
import type { Input } from "./request.ts";

export { AnswerError, ClientError, NetworkError, ProblemError, ProtocolError, TimeoutError } from "./errors.ts";
export { memoryStore, storageStore } from "./store.ts";

/** The operations. The build replaces this name by the contract's. */
declare const OPERATIONS: ClientOperations;

/** Calls an operation. The declarations of the package name its fields and answers. */
export type Method = (input?: Input, options?: IdempotentCallOptions) => Promise<Fields> | ListRequest<Fields>;

/** A client: one method for each operation, and those of the session. */
export interface Client extends SessionMethods, Readonly<Record<MethodName, Method>> {}

/** Makes a client of a service. */
export function createClient(settings: ClientSettings): Client {
  const { call, ...sessions } = createCaller(OPERATIONS, settings);
  const methods = Object.entries(OPERATIONS).map(([name, operation]): [string, Method] => {
    const { list, method } = operation;
    return [
      name,
      (input = {}, options = {}) => {
        if (list && method === "GET") return requestList(list, (query) => call(operation, input, options, query));
        return call(operation, input, options).then((answer) => (list ? listOf(list, answer) : answer.body));
      },
    ];
  });
  return { ...(Object.fromEntries(methods) as Record<MethodName, Method>), ...sessions };
}

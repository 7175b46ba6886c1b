import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** One call of an AWS client of this process. */
export interface AwsCall {
  /** As the SDK names it, such as `Secrets Manager`. */
  readonly service: string;
  /** The class of the command, such as `GetSecretValueCommand`. */
  readonly command: string;
  readonly input: object;
}

/** A client's retries, which have a capacity that each of them takes from and each success gives back to. */
export interface Retries {
  recordSuccess(token: { getRetryCost(): number }): void;
}

interface Client {
  readonly config: { readonly serviceId: string; retryStrategy(): Promise<Retries> };
}

interface Command {
  readonly input: object;
}

const unwatched = Symbol.for("workforce.test.send");

type Send = (this: Client, command: Command, ...others: unknown[]) => Promise<unknown>;

// Every client of the SDK inherits its `send`, so that this is the one place where all calls pass.
const everyClient = Object.getPrototypeOf(DynamoDBDocumentClient.prototype) as { send: Send; [unwatched]?: Send };
// The SDK outlives the test file that watches it.
everyClient.send = everyClient[unwatched] ??= everyClient.send;

/**
 * Puts a watcher around every call of every client of this process, whatever service it is for: it carries the call out by
 * calling `send`, and is given how the client repeats calls.
 */
export function watchCalls(
  watch: (call: AwsCall, send: () => Promise<unknown>, retries: () => Promise<Retries>) => Promise<unknown>,
): void {
  const { send } = everyClient;
  everyClient.send = function (command, ...others) {
    const { serviceId: service, retryStrategy: retries } = this.config;
    const call = { service, command: command.constructor.name, input: command.input };
    return watch(call, () => send.call(this, command, ...others), retries);
  };
}

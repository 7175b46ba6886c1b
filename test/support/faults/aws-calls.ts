import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** One call of an AWS client of this process. */
export interface AwsCall {
  /** As the SDK names it, such as `Secrets Manager`. */
  readonly service: string;
  /** The class of the command, such as `GetSecretValueCommand`. */
  readonly command: string;
  readonly input: object;
}

interface Client {
  readonly config: { readonly serviceId: string };
}

interface Command {
  readonly input: object;
}

type Send = (this: Client, command: Command, ...others: unknown[]) => Promise<unknown>;

/**
 * Puts a watcher around every call of every client of this process, whatever service it is for: it carries the call out by
 * calling `send`. Every client of the SDK inherits its `send`, so that this is the one place where all calls pass.
 */
export function watchCalls(watch: (call: AwsCall, send: () => Promise<unknown>) => Promise<unknown>): void {
  const everyClient = Object.getPrototypeOf(DynamoDBDocumentClient.prototype) as { send: Send };
  const { send } = everyClient;
  everyClient.send = function (command, ...others) {
    const call = { service: this.config.serviceId, command: command.constructor.name, input: command.input };
    return watch(call, () => send.call(this, command, ...others));
  };
}

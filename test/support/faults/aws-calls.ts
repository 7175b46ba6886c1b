import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** One call of an AWS client of this process. */
export interface AwsCall {
  /** As the SDK names it, such as `Secrets Manager`. */
  readonly service: string;
  /** The class of the command, such as `GetSecretValueCommand`. */
  readonly command: string;
  readonly input: object;
}

/** One attempt of a call, as it is about to leave the process. */
export interface AwsAttempt {
  /** As AWS names it, such as `GetSecretValue`. */
  readonly action: string;
  readonly request: AwsRequest;
}

/** The parts of an SDK's request that a watcher reads or changes. */
export interface AwsRequest {
  readonly hostname: string;
  readonly port?: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer before the SDK reads it. */
export interface AwsAnswer {
  readonly response: { readonly statusCode: number; readonly headers: Record<string, string>; readonly body: unknown };
}

/** A client's retries, which have a capacity that each of them takes from and each success gives back to. */
export interface Retries {
  recordSuccess(token: { getRetryCost(): number }): void;
}

type Attempt<T> = (given: { readonly request: AwsRequest }) => Promise<T>;

interface MiddlewareStack {
  add(
    middleware: (
      next: Attempt<AwsAnswer>,
      context: { readonly commandName?: string },
    ) => (given: { readonly request: AwsRequest }) => Promise<AwsAnswer>,
    options: { readonly step: "deserialize"; readonly priority: "low" },
  ): void;
}

interface Client {
  readonly config: { readonly serviceId: string; retryStrategy(): Promise<Retries> };
  readonly middlewareStack: MiddlewareStack;
}

interface Command {
  readonly input: object;
  /** The command that one of the document client makes. */
  readonly clientCommand?: object;
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
    const call = { service, command: (command.clientCommand ?? command).constructor.name, input: command.input };
    return watch(call, () => send.call(this, command, ...others), retries);
  };
}

/** Puts a watcher around every attempt of every call of this process: it carries the attempt out by calling `send`. */
export function watchAttempts(watch: (attempt: AwsAttempt, send: Attempt<AwsAnswer>) => Promise<AwsAnswer>): void {
  const { send } = everyClient;
  const watched = new WeakSet<MiddlewareStack>();
  everyClient.send = function (command, ...others) {
    const { middlewareStack } = this;
    if (!watched.has(middlewareStack)) {
      watched.add(middlewareStack);
      middlewareStack.add(
        (next, { commandName = "" }) =>
          ({ request, ...given }) =>
            watch({ action: commandName.replace(/Command$/, ""), request }, (changed) =>
              next({ ...given, ...changed }),
            ),
        { step: "deserialize", priority: "low" },
      );
    }
    return send.call(this, command, ...others);
  };
}

/** A failure inside a function, with the type and message that Lambda would answer. */
export class FunctionError extends Error {
  readonly errorType: string;
  readonly trace: string | undefined;

  constructor(errorType: string, message: string, trace?: string) {
    super(message);
    this.name = "FunctionError";
    this.errorType = errorType;
    this.trace = trace;
  }

  static outOfMemory(megabytes: number): FunctionError {
    return new FunctionError("Runtime.OutOfMemory", `Runtime ended: it took more than its ${megabytes} MB of memory`);
  }
}

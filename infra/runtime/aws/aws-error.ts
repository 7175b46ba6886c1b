/** A refusal as AWS words it: a code that the SDK turns into an error's name, a message and a status. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Takes the parameters of a Query protocol action and returns the XML elements inside its result. */
export type QueryAction = (parameters: URLSearchParams) => Record<string, string>;

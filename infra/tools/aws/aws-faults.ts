/** The stage and region of a call. */
export interface CallTarget {
  readonly stage: string;
  readonly region: string;
}

/** A kind of AWS error that the user can do something about. */
export type AwsFault = "no-credentials" | "expired" | "unknown-credentials" | "denied" | "not-found" | "unreachable";

const faultOfName: Readonly<Record<string, AwsFault>> = {
  CredentialsProviderError: "no-credentials",
  TokenProviderError: "no-credentials",
  ExpiredToken: "expired",
  ExpiredTokenException: "expired",
  UnrecognizedClientException: "unknown-credentials",
  InvalidClientTokenId: "unknown-credentials",
  InvalidSignatureException: "unknown-credentials",
  SignatureDoesNotMatch: "unknown-credentials",
  IncompleteSignature: "unknown-credentials",
  MissingAuthenticationToken: "unknown-credentials",
  AccessDenied: "denied",
  AccessDeniedException: "denied",
  AuthorizationError: "denied",
  AuthorizationErrorException: "denied",
  ResourceNotFoundException: "not-found",
  NotFoundException: "not-found",
  ParameterNotFound: "not-found",
  TimeoutError: "unreachable",
};

const networkCodes = ["ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "EAI_AGAIN", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"];

/** The kind of an error; undefined if the user can do nothing about it. */
export function kindOfAwsFault(error: unknown): AwsFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const kind = faultOfName[error.name];
  // Expired credentials are a kind of their own, whichever call detects them.
  if (kind === "no-credentials" && /expired|session.*invalid/i.test(error.message)) return "expired";
  return kind ?? (networkCodes.includes(codeOf(error)) ? "unreachable" : undefined);
}

/** The result of a call; undefined if the thing does not exist. */
export function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error) => {
    if (kindOfAwsFault(error) === "not-found") return undefined;
    throw error;
  });
}

/** An AWS error as one sentence that says what to do; any other error unchanged. */
export function explainAwsFault(error: unknown, place: CallTarget): unknown {
  const kind = kindOfAwsFault(error);
  return kind === undefined ? error : new Error(describeAwsFault(kind, error as Error, place), { cause: error });
}

function describeAwsFault(kind: AwsFault, error: Error, { stage, region }: CallTarget): string {
  const said = (error.message.split("\n")[0] ?? "").replace(/\.$/, "");
  const { AWS_PROFILE: profile } = process.env;
  const who = profile ? `with the profile ${profile}` : "by the usual ways";
  const sentences: Record<AwsFault, string> = {
    "no-credentials": `No AWS credentials were found ${who} (${said}): name a profile with AWS_PROFILE, or sign in with aws sso login.`,
    expired: "The AWS credentials have expired: sign in again, such as with aws sso login.",
    "unknown-credentials": `AWS does not take the credentials (${said}): look at AWS_PROFILE, at the access key and at this machine's clock.`,
    denied: `AWS denies access (${said}): the work needs credentials with that right.`,
    "not-found": `The stage ${stage} is not deployed in this account in ${region} (${said}): choose the account with AWS_PROFILE and the region with AWS_REGION, or deploy it with npx cdk deploy Workforce-${stage} -c stage=${stage}.`,
    unreachable: `AWS does not answer in ${region} (${said || codeOf(error)}): look at the network, AWS_REGION and AWS_ENDPOINT_URL.`,
  };
  return sentences[kind];
}

/** The system's code of a network error. An error of several attempts carries it inside. */
export function codeOf(error: Error): string {
  const { code, errors = [] } = error as Error & { code?: string; errors?: { code?: string }[] };
  return code ?? errors[0]?.code ?? "";
}

import { afterAll, beforeAll, vi } from "vitest";
import { localCredentials } from "../../infra/runtime/aws/local-credentials.ts";
import { type HttpService, readBody, startHttpService } from "../../infra/runtime/http-service.ts";

/** An answer of AWS to one action: a body, as JSON, with its date, or XML, or an error by its code. */
export type FakeAnswer =
  | { readonly json: object; readonly date?: string }
  | { readonly xml: string }
  | { readonly error: string };

/** An answer, or one that depends on the JSON that is sent. */
type Answering = FakeAnswer | ((sent: Readonly<Record<string, string>>) => FakeAnswer);

/** An AWS that answers what a test configures, action by action; everything else is denied. */
export interface FakeAws {
  endpoint: string;
  /**
   * Answers by action, such as `DescribeTable`, or by method and path where a service has no actions; those of one region alone by it
   * and the action.
   */
  answers: Record<string, Answering>;
}

/** Gives a test file an AWS of its own, which all clients of the SDK call. */
export function useFakeAws(): FakeAws {
  const aws: FakeAws = { endpoint: "", answers: {} };
  let server: HttpService | undefined;
  beforeAll(async () => {
    server = await startHttpService(async (request, response) => {
      const body = (await readBody(request, 1_000_000))?.toString() ?? "";
      const target = request.headers["x-amz-target"];
      const isQuery = !target && request.method === "POST";
      const action = target ? String(target).split(".")[1] : new URLSearchParams(body).get("Action");
      const name = action ?? `${request.method} ${request.url}`;
      const [, region] = /Credential=[^/]+\/\d+\/([^/]+)/.exec(request.headers.authorization ?? "") ?? [];
      const known = aws.answers[`${region} ${name}`] ?? aws.answers[name] ?? { error: "AccessDeniedException" };
      const answer = typeof known === "function" ? known(JSON.parse(body || "{}")) : known;
      const status = "error" in answer ? 400 : 200;
      response.writeHead(status, {
        "content-type": isQuery ? "text/xml" : "application/x-amz-json-1.1",
        ...("error" in answer && { "x-amzn-errortype": answer.error }),
        ...("date" in answer && { date: answer.date }),
      });
      response.end(isQuery ? asXml(name, answer) : asJson(answer));
    });
    aws.endpoint = `http://127.0.0.1:${server.port}`;
    for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_REGION", "eu-west-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", localCredentials.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", localCredentials.secretAccessKey);
    vi.stubEnv("AWS_ENDPOINT_URL", aws.endpoint);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.close();
  });
  return aws;
}

function asJson(answer: FakeAnswer): string {
  if ("error" in answer) return JSON.stringify({ __type: answer.error, message: `It says ${answer.error}` });
  return "json" in answer ? JSON.stringify(answer.json) : answer.xml;
}

function asXml(action: string, answer: FakeAnswer): string {
  if ("error" in answer) {
    const message = answer.error === "ValidationError" ? "Stack does not exist" : `It says ${answer.error}`;
    return `<ErrorResponse><Error><Code>${answer.error}</Code><Message>${message}</Message></Error></ErrorResponse>`;
  }
  const result = "xml" in answer ? answer.xml : "";
  return `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
}

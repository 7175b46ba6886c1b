import type { LambdaClient } from "@aws-sdk/client-lambda";

/** An action of a service that takes and answers JSON. */
export interface ServiceAction {
  /** The service's name in its host and in signatures, such as `monitoring`. */
  readonly service: string;
  /** The prefix of its actions, and the action. */
  readonly target: `${string}.${string}`;
}

/**
 * Calls a service of AWS of which a call or two are needed, without a package of its own: with the credentials, region,
 * signature and time limits of a client that makes no other calls: a client goes on signing for the service that it signed for first.
 * One attempt. Throws errors of AWS by their name.
 */
export async function callService(
  { config }: LambdaClient,
  { service, target }: ServiceAction,
  input: object,
): Promise<unknown> {
  const region = await config.region();
  const { protocol, hostname, port, host } = new URL(
    process.env.AWS_ENDPOINT_URL || `https://${service}.${region}.amazonaws.com`,
  );
  const signing = { name: "sigv4", signingName: service, signingRegion: region, properties: {} };
  const signer = await config.signer(signing);
  const place = { signingDate: new Date(), signingRegion: region, signingService: service };
  const request = {
    method: "POST",
    protocol,
    hostname,
    ...(port !== "" && { port: Number(port) }),
    path: "/",
    query: {},
    headers: { host, "content-type": "application/x-amz-json-1.1", "x-amz-target": target },
    body: JSON.stringify(input),
  };
  const signed = await signer.sign(request, place);
  const { response } = await config.requestHandler.handle(signed as Parameters<typeof config.requestHandler.handle>[0]);
  const answer = JSON.parse(config.utf8Encoder(await config.streamCollector(response.body)));
  if (response.statusCode < 300) return answer;
  const { __type: type, message, Message = message } = answer as Readonly<Record<string, string | undefined>>;
  throw Object.assign(new Error(Message), { name: String(type).replace(/^.*#/, "") });
}

import { deserialize, serialize } from "node:v8";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { callLimits, limitedBy } from "../call-limits.ts";
import { settings } from "../settings.ts";

let client: LambdaClient | undefined;

/**
 * Calls the running function in an environment of its own, and returns what it answered with `toAnswer`. At most 6 MB.
 */
export async function callItself<T>(event: object): Promise<T> {
  client ??= new LambdaClient(limitedBy(callLimits.ownFunction));
  const call = new InvokeCommand({ FunctionName: settings.ownFunction(), Payload: JSON.stringify(event) });
  const { FunctionError, Payload } = await client.send(call);
  const answer = Payload?.transformToString() ?? "";
  if (FunctionError !== undefined) throw new Error(`The function's call of itself failed: ${answer}`);
  return deserialize(Buffer.from(JSON.parse(answer), "base64"));
}

/** Encodes an answer for `callItself`, maps and typed arrays included. */
export function toAnswer(value: unknown): string {
  return serialize(value).toString("base64");
}

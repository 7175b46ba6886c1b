import { type AwsCall, watchCalls } from "../../../support/faults/aws-calls.ts";
import type { TestAnswer } from "../../../support/requests/call.ts";

const calls: AwsCall[] = [];
watchCalls((call, send) => {
  calls.push(call);
  return send();
});

/** The AWS calls that work makes, sorted, each with the number of its items and its size in hundreds. */
export async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  calls.length = 0;
  await work();
  const made = calls.map(({ service: of, command, input }) => {
    const { TransactItems = [] } = input as { TransactItems?: unknown[] };
    return `${of} ${command} ${TransactItems.length} ${Math.round(JSON.stringify(input).length / 100)}`;
  });
  return made.toSorted();
}

/** The parts of an answer that are not sent by the caller, an id made of the login, a token, or the moment. */
export function shapeOf({ status, headers, body }: TestAnswer, login: string): string {
  const { "x-request-id": _id, ...shown } = headers;
  return JSON.stringify([status, shown, body])
    .replaceAll(login, "LOGIN")
    .replace(/"id":[1-9][0-9]{0,15}(?=[,}])/, '"id":ID')
    .replaceAll(/"(request_id|reset_password_token)":"[^"]+"/g, '"$1":""')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "MOMENT");
}

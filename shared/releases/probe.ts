import { bulkUpdateTimesheets, listInvoices, listTimesheets } from "../contract/finance.ts";
import { listJobs } from "../contract/jobs.ts";
import { listNotifications, markNotifications } from "../contract/notifications.ts";
import type { Operation } from "../contract/operation.ts";
import { refreshToken, signIn } from "../contract/sessions.ts";

/** `passes` and `fails` are of the new version. `unproven`: the version before does not answer the probe as it should either. */
export type Verdict = "passes" | "fails" | "unproven";

/** The answer to a request of the probe. */
export interface ProbeAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends the event of a request to the new version of the released function, or to what callers of an operation reach. */
export type Ask = (operation: string, version: "new" | "live", event: object) => Promise<ProbeAnswer>;

interface Session {
  readonly access: string;
  readonly refresh: string;
  readonly notification: number | undefined;
}

interface Probe {
  readonly operation: Operation;
  readonly expected: number;
  body?(session: Session): object;
}

/** The probe is a client, so most lists of work are refused to it, and it pays nothing. */
const probes: Readonly<Record<string, Probe>> = Object.fromEntries(
  [
    { operation: refreshToken, expected: 200, body: ({ refresh }: Session) => ({ token: { refresh_token: refresh } }) },
    { operation: listNotifications, expected: 200 },
    {
      operation: markNotifications,
      expected: 200,
      body: ({ notification }: Session) => ({ notification: { notification_ids: [notification], read: true } }),
    },
    { operation: listInvoices, expected: 200 },
    { operation: listTimesheets, expected: 403 },
    { operation: listJobs, expected: 403 },
    { operation: bulkUpdateTimesheets, expected: 403, body: () => ({}) },
  ].map((probe) => [probe.operation.name, probe]),
);

/** The operations whose new versions can be probed. */
export const probedOperations = [signIn.name, ...Object.keys(probes)];

/** Tries the new version of an operation as a user: signs in, then calls it once. Throws if there is no probe of it. */
export async function probeRelease(
  name: string,
  user: { readonly login: string; readonly password: string },
  ask: Ask,
): Promise<Verdict> {
  const isSignIn = name === signIn.name;
  const signing = eventOf(signIn, { user });
  const signed = await ask(signIn.name, isSignIn ? "new" : "live", signing);
  if (isSignIn) return compare(signed, 200, () => ask(signIn.name, "live", signing));
  if (signed.status !== 200) return "unproven";
  const probe = probes[name];
  if (!probe) throw new Error(`There is no probe of ${name}`);
  const { access_token: access, refresh_token: refresh } = JSON.parse(signed.body).token;
  const needsNotification = name === markNotifications.name;
  const listed =
    needsNotification && (await ask(listNotifications.name, "live", eventOf(listNotifications, undefined, access)));
  const notification = listed && listed.status === 200 ? JSON.parse(listed.body).notifications[0]?.id : undefined;
  if (needsNotification && notification === undefined) return "unproven";
  const event = eventOf(probe.operation, probe.body?.({ access, refresh, notification }), access);
  return compare(await ask(name, "new", event), probe.expected, () => ask(name, "live", event));
}

async function compare(answer: ProbeAnswer, expected: number, askLive: () => Promise<ProbeAnswer>): Promise<Verdict> {
  if (answer.status === expected) return "passes";
  return (await askLive()).status === expected ? "fails" : "unproven";
}

/** The event that API Gateway sends for a request, as far as functions read it. */
function eventOf({ method, path }: Operation, body: object | undefined, token?: string): object {
  const headers = {
    accept: "application/json",
    "user-agent": "release-probe",
    ...(body && { "content-type": "application/json" }),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  // An address for documentation, which no client has.
  const http = { method, path, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "release-probe" };
  return {
    version: "2.0",
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: "",
    headers,
    requestContext: { domainName: "release-probe", requestId: crypto.randomUUID(), http },
    ...(body && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  };
}

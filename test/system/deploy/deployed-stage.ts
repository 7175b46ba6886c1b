import { request } from "node:http";
import { expect } from "vitest";
import { type HttpService, startHttpService } from "../../../infra/runtime/http-service.ts";
import { type Inboxes, openInboxes } from "../../support/requests/inboxes.ts";
import { runImport, streamOf } from "../../tools/import/run-import.ts";
import { account, type Emulator, region } from "./emulator.ts";

export interface DeployedStage {
  readonly baseUrl: string;
  readonly eventBusName: string;
  /** The e-mails that SES took. */
  readonly mails: Inboxes;
  waiting(): Promise<Map<string, number>>;
  close(): Promise<void>;
}

/** The address of a stage instead of its API's own: a host of its own, with the headers that an edge adds to a request. */
interface Address {
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens the stage whose outputs a deploy printed. */
export async function openStage(
  { port, clientEnvironment }: Emulator,
  printed: string,
  { host, headers }: Address = { host: new URL(outputOf(printed, "BaseUrl")).host, headers: {} },
): Promise<DeployedStage> {
  const emulated = `${clientEnvironment.AWS_ENDPOINT_URL}/_ministack`;
  const front = await startApiFront(port, host, headers);
  return {
    baseUrl: front.baseUrl,
    eventBusName: outputOf(printed, "EventBusName"),
    mails: openInboxes([`${emulated}/ses/messages`]),
    async waiting() {
      const answer = await fetch(`${emulated}/sqs/messages`);
      const { messages } = (await answer.json()) as {
        messages: Record<string, Record<string, Record<string, unknown[]>>>;
      };
      const queues = messages[account]?.[region] ?? {};
      return new Map(Object.entries(queues).map(([url, all]) => [url.split("/").at(-1) ?? "", all.length]));
    },
    close: front.close,
  };
}

/** An output of the stack, as the cdk command printed it. */
export function outputOf(printed: string, name: string): string {
  const [, value] = new RegExp(`^\\S+\\.${name} = (.+)$`, "m").exec(printed) ?? [];
  if (!value) throw new Error(`The deploy printed no output ${name}`);
  return value.trim();
}

/** Imports new records into the stage that this process's environment names. */
export async function importLines(lines: readonly object[], now = new Date()): Promise<void> {
  const { summary } = await runImport(streamOf(...lines), { now });
  expect(summary).toMatchObject({ created: lines.length, failed: 0 });
}

/**
 * An address for a deployed API. The emulator distinguishes APIs by the requested host name, which only a name server
 * of AWS leads anywhere: this passes every request on under that name, with headers more.
 */
async function startApiFront(
  port: number,
  apiHost: string,
  more: Readonly<Record<string, string>>,
): Promise<{ baseUrl: string } & Pick<HttpService, "close">> {
  const front = await startHttpService((incoming, outgoing) => {
    const given = incoming.rawHeaders.flatMap((value, at, all) =>
      at % 2 === 1 ? [] : [value, value.toLowerCase() === "host" ? apiHost : (all[at + 1] ?? "")],
    );
    const headers = [...given, ...Object.entries(more).flat()];
    const place = { host: "127.0.0.1", port, method: incoming.method, path: incoming.url };
    const passed = request({ ...place, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  return { baseUrl: `http://127.0.0.1:${front.port}`, close: front.close };
}

import { request } from "node:http";
import { Readable } from "node:stream";
import { expect } from "vitest";
import { type HttpService, startHttpService } from "../../../infra/local/http-service.ts";
import { importRecords } from "../../../infra/tools/import/import-records.ts";
import { send } from "../../support/requests/http-client.ts";
import { account, type Emulator, region } from "./emulator.ts";

/** A message as AWS took it for a person. */
interface SentMessage {
  readonly to: string;
  readonly text: string;
}

export interface DeployedStage {
  readonly baseUrl: string;
  readonly eventBusName: string;
  /** The newest message to a login, as soon as it is there. */
  messageTo(login: string, about?: RegExp): Promise<string>;
  waiting(): Promise<Map<string, number>>;
  close(): Promise<void>;
}

const arrivesWithinMs = 60_000;

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
  const read = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${clientEnvironment.AWS_ENDPOINT_URL}/_ministack/${path}`)).json()) as T;
  const front = await startApiFront(port, host, headers);

  const messages = async (): Promise<SentMessage[]> => {
    const mails = await read<{ messages: Record<string, { To: string[]; BodyText: string }[]> }>("ses/messages");
    const sms = await read<{ sms_messages: Record<string, { Message: string }[]> }>("sns/sms-messages");
    return [
      ...Object.values(mails.messages)
        .flat()
        .flatMap(({ To, BodyText }) => To.map((to) => ({ to, text: BodyText }))),
      ...Object.entries(sms.sms_messages).flatMap(([to, all]) => all.map(({ Message }) => ({ to, text: Message }))),
    ];
  };
  return {
    baseUrl: front.baseUrl,
    eventBusName: outputOf(printed, "EventBusName"),
    async messageTo(login, about = /./) {
      const deadline = Date.now() + arrivesWithinMs;
      while (Date.now() < deadline) {
        const found = (await messages()).findLast(({ to, text }) => to === login && about.test(text));
        if (found) return found.text;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`No message to ${login} arrived`);
    },
    async waiting() {
      const { messages } = await read<{ messages: Record<string, Record<string, Record<string, unknown[]>>> }>(
        "sqs/messages",
      );
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

/** Signs somebody in; gives the access token. */
export async function signIn({ baseUrl }: DeployedStage, login: string, password: string): Promise<string> {
  const body = { user: { login, password } };
  const answer = await send(baseUrl, "POST", "/api/v1/users/sign_in", { body });
  expect(answer.status).toBe(200);
  return answer.body.token.access_token;
}

/** Imports new records into the stage that this process's environment names. */
export async function importLines(lines: readonly object[], now = new Date()): Promise<void> {
  const source = Readable.from(lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)));
  expect(await importRecords({ source, now })).toMatchObject({ created: lines.length, failed: 0 });
}

/**
 * An address for a deployed API. The emulator distinguishes APIs by the requested host name, which only a name server
 * of AWS leads anywhere: this passes every request on under that name, with headers more.
 */
async function startApiFront(
  port: number,
  apiHost: string,
  more: Readonly<Record<string, string>> = {},
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

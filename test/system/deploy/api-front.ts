import { request } from "node:http";
import { type HttpService, startHttpService } from "../../../infra/local/http-service.ts";

/**
 * An address for a deployed API. The emulator distinguishes APIs by the requested host name, which only a name server
 * of AWS leads anywhere: this passes every request on under that name, with headers more.
 */
export async function startApiFront(
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

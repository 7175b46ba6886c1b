/** A request to be written as a command. */
export interface CurlRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** The login whose token is sent; null where no token was. */
  login: string | null;
}

/** Headers that curl, the connection or the gateway write. */
const unsent =
  /^(host|connection|content-length|accept-encoding|transfer-encoding|authorization|cookie|x-(amzn|forwarded)-.*|sec-.*|user-agent|origin|referer|accept-language|cache-control|pragma|dnt)$/;

/** The headers of a request that are worth sending again: not those of the connection, and none whose value is not kept. */
export function ownHeaders(headers: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(headers).filter(([name, value]) => !unsent.test(name.toLowerCase()) && value !== "(masked)");
}

/** A command for a POSIX shell that sends a request again; nothing in the request is read by the shell. */
export function curlOf({ method, url, headers, body, login }: CurlRequest): string {
  const token = login === null ? "" : `"Authorization: Bearer $(npm run -s token -- --as ${quote(login)})"`;
  const parts = [
    // Else curl reads brackets and braces in an address as a pattern.
    `curl -sw '\\n' -g${method === "GET" ? "" : ` -X ${quote(method)}`} ${quote(url)}`,
    ...(token ? [`-H ${token}`] : []),
    ...ownHeaders(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quote(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** Within single quotes a shell reads nothing but their end. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

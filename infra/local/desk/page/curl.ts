export interface CurlRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** The login whose token the command sends; null if the request had no token. */
  login: string | null;
}

/** Headers that curl, the connection or the gateway set. */
const unsent =
  /^(host|connection|content-length|accept-encoding|transfer-encoding|authorization|cookie|x-(amzn|forwarded)-.*|sec-.*|user-agent|origin|referer|accept-language|cache-control|pragma|dnt)$/;

/** The headers to send again: none of the connection, and none with a masked value. */
export function ownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(headers).filter(
    ([name, value]) => !unsent.test(name.toLowerCase()) && value !== "(masked)",
  );
  return Object.fromEntries(own);
}

/** A command for a POSIX shell that sends a request again. The shell interprets nothing in the request. */
export function curlOf({ method, url, headers, body, login }: CurlRequest): string {
  const parts = [
    // Without `-g`, curl reads brackets and braces in an address as a pattern.
    `curl -sw '\\n' -g${method === "GET" ? "" : ` -X ${quote(method)}`} ${quote(url)}`,
    ...(login === null ? [] : [`-H "Authorization: Bearer $(npm run -s token -- --as ${quote(login)})"`]),
    ...Object.entries(ownHeaders(headers)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quote(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** Between single quotes a shell interprets nothing but the closing quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

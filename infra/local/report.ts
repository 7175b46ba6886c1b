import { relative } from "node:path";
import { operations } from "../../shared/contract/operations.ts";
import type { FrontRequest } from "./gateway/http-server.ts";
import type { TokenUser } from "./local-aws.ts";
import type { Machine } from "./machine.ts";

/** A demo user and a token that speaks for it. */
export interface DemoToken {
  user: TokenUser & { login: string };
  token: string;
}

/** What there is to say about a machine that just started. */
export interface MachineReport {
  machine: Machine;
  tokens: DemoToken[];
  /** The password that each of the tokens' users signs in with. */
  password: string;
  seconds: number;
}

/** What `npm start` prints when the machine is ready. */
export function machineReport(report: MachineReport): string {
  const { machine, tokens, password, seconds } = report;
  const { baseUrl, engine, endpoints, stack, logFile } = machine;
  const width = Math.max(...operations.map(({ path }) => path.length));
  const routes = operations.map(({ name, method, path }) => `  ${method.padEnd(6)} ${path.padEnd(width)}  ${name}`);
  const bearers = tokens.map(({ user, token }) => `  ${describeUser(user)}\n  ${token}\n`);
  return `
Workforce API at ${baseUrl} (ready in ${seconds.toFixed(1)} s, table on ${engine.name})

${routes.join("\n")}

Bearer tokens, valid for 24 hours

${bearers.join("\n")}
Password of each of them: ${password}

Try

${curlLines(report).join("\n\n")}

Inbox  ${baseUrl}/_local/inbox.html
Events PutEvents to the bus ${stack.buses.names[0]} at ${endpoints.endpoint}
Logs   ${relative(process.cwd(), logFile)}
Stop   Ctrl-C; the data stays (npm start -- --fresh resets it)

`;
}

function describeUser({ role, company_id, login }: DemoToken["user"]): string {
  return `${role}${company_id === null ? "" : ` of company ${company_id}`}, ${login}`;
}

function curlLines({ machine: { baseUrl }, tokens, password }: MachineReport): string[] {
  const { token, user } = tokens.find((each) => each.user.role === "operator") ?? tokens[0] ?? {};
  const post = (path: string, body: object) =>
    `curl -i -X POST ${baseUrl}${path} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    `curl -i '${baseUrl}/api/v1/finance/invoices?by_state=pending' -H 'Authorization: Bearer ${token}'`,
    post("/api/v1/users/sign_in", { user: { login: user?.login, password } }),
    post("/api/v1/users/password", { user: { login: user?.login } }),
  ];
}

/** One request as a line in the terminal: time, method, path, status, milliseconds, and why if the gateway failed. */
export function requestLine(request: FrontRequest, now: Date): string {
  const time = now.toISOString().slice(11, 19);
  // A path is the caller's text: nothing in it may move the cursor.
  const path = request.path.replaceAll(/[^\x20-\x7e]/g, "?");
  const line = `${time} ${request.method} ${path} ${request.status} ${request.milliseconds.toFixed(0)} ms`;
  return request.error === undefined ? line : `${line}\n${String(request.error)}`;
}

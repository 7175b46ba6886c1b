import { relative } from "node:path";
import { operations } from "../../shared/contract/operations.ts";
import { namesOf } from "../stages/names.ts";
import type { findDemoPeople } from "./demo/demo.ts";
import type { Machine } from "./machine.ts";

type DemoPerson = Awaited<ReturnType<typeof findDemoPeople>>[number];

/** The facts about a machine that just started. */
export interface MachineReport {
  machine: Machine;
  people: DemoPerson[];
  demoPassword: string;
  seconds: number;
}

/** The text that `npm start` prints when the machine is ready: one screen, with no secret but the demo password. */
export function machineReport({ machine, people, demoPassword, seconds }: MachineReport): string {
  const { baseUrl, engine, logFile } = machine;
  const directory = process.env.WORKFORCE_DIRECTORY;
  const token = `${directory === undefined ? "" : `WORKFORCE_DIRECTORY='${directory}' `}npm run -s token -- --as`;
  const tried = people.find(({ role }) => role === "operator")?.login ?? "LOGIN";
  return `
Workforce API at ${baseUrl} (ready in ${seconds.toFixed(1)} s, table on ${engine.name})

${people.map((person) => personLine(person, demoPassword)).join("\n")}

Token       ${token} LOGIN
Try         curl -s '${baseUrl}/api/v1/finance/invoices?by_state=pending' \\
              -H "Authorization: Bearer $(${token} ${tried})"

Docs        ${baseUrl}/docs has guides, and every operation to try
Operations  ${operations.length}, described at ${baseUrl}/api/v1/openapi.json
Desk        ${baseUrl}/_local/ (people, requests, inbox, data, events)
Events      ${baseUrl}/_local/events takes PutEvents to the bus ${namesOf("local").eventBus}
Logs        ${relative(process.cwd(), logFile)}
Stop        Ctrl-C; the data stays (npm start -- --fresh resets it)

`;
}

function personLine({ role, company_id, login, hasDemoPassword }: DemoPerson, demoPassword: string): string {
  const who = company_id === null ? role : `${role} of company ${company_id}`;
  return `${who.padEnd(24)}${login.padEnd(36)}${hasDemoPassword ? `password: ${demoPassword}` : "password changed"}`;
}

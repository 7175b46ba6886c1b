import { readFileSync } from "node:fs";
import { join } from "node:path";
import { demoUsers } from "../demo/demo.ts";
import { demoPeople } from "../demo/demo-people.ts";

/** The script behind the choice. */
export function callAsScript(): string {
  return readFileSync(join(import.meta.dirname, "call-as.js"), "utf8");
}

/** The demo users, each with a first read, and the token that changes of the desk must send. */
export function viewCallers(deskToken: string) {
  const callers = Object.values(demoUsers).map(({ id, role }) => {
    const person = demoPeople.find((each) => each.id === id);
    const name = [person?.first_name, person?.last_name].filter(Boolean).join(" ");
    const path = role === "driver" ? "/api/v1/users/me" : "/api/v1/finance/invoices?by_state=pending&per_page=1";
    return { id, name, role, path };
  });
  return { deskToken, callers };
}

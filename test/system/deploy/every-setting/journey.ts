import { expect } from "vitest";
import { invoiceLine } from "../../../support/records/records.ts";
import { send, signIn } from "../../../support/requests/http-client.ts";
import type { DeployedStage } from "../deployed-stage.ts";
import { releaseHeader } from "./releases.ts";

export const user = { email: "operator@workforce.example", password: "seven quiet harbours" };

/** The number of invoices before the first backup. */
export const invoices = 3;

export function invoiceOf(id: number): object {
  return invoiceLine(id, 1, { due_date: "2199-01-01" });
}

/** Signs in and lists invoices: the total of the list, and the release that answered it. */
export async function readInvoices(stage: DeployedStage): Promise<Record<"total" | "release", string | null>> {
  const bearer = await signIn(stage.baseUrl, user.email, user.password);
  const { status, headers } = await send(stage.baseUrl, "GET", "/api/v1/finance/invoices", { bearer });
  expect(status).toBe(200);
  return { total: headers.get("total"), release: headers.get(releaseHeader) };
}

import { expect } from "vitest";
import { send } from "../../../support/requests/http-client.ts";
import type { DeployedStage } from "../deployed-stage.ts";
import { releaseHeader } from "./releases.ts";

export const user = { email: "operator@workforce.example", password: "seven quiet harbours" };

/** Signs in and lists invoices: the total of the list, and the release that answered it. */
export async function readInvoices({ baseUrl }: DeployedStage): Promise<Record<"total" | "release", string | null>> {
  const body = { user: { login: user.email, password: user.password } };
  const session = await send(baseUrl, "POST", "/api/v1/users/sign_in", { body });
  expect(session.status).toBe(200);
  const bearer = session.body.token.access_token;
  const { status, headers } = await send(baseUrl, "GET", "/api/v1/finance/invoices", { bearer });
  expect(status).toBe(200);
  return { total: headers.get("total"), release: headers.get(releaseHeader) };
}

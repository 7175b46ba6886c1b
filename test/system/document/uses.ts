/**
 * A program for each generated client: it signs in, lists invoices, registers a device and finds it by its id, and is
 * refused. What it gives is what a client sees.
 */
export const uses: Readonly<Record<string, string>> = {
  "openapi-typescript": `
import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript";

export async function use(baseUrl: string, login: string, password: string) {
  const client = createClient<paths>({ baseUrl });
  const { data: signedIn } = await client.POST("/api/v1/users/sign_in", { body: { user: { login, password } } });
  const headers = { authorization: \`Bearer \${signedIn?.token.access_token}\` };
  const query = { by_state: ["pending" as const, "overdue" as const], per_page: 2 };
  const { data, response } = await client.GET("/api/v1/finance/invoices", { params: { query }, headers });
  const body = { notification: { token: "a".repeat(64), platform: null } };
  const { data: device } = await client.POST("/api/v1/users/notifications/token", { body, headers });
  const { data: listed } = await client.GET("/api/v1/users/notifications/tokens", { headers });
  const { error } = await client.GET("/api/v1/jobs");
  const isProblem = error !== undefined && "code" in error;
  return {
    states: data?.invoices.map(({ state }) => state),
    total: Number(response.headers.get("total")),
    ids: [device?.notification.id, listed?.tokens[0]?.id],
    code: isProblem ? error.code : undefined,
  };
}
`,
  "hey-api": `
import { client } from "./hey-api/client.gen";
import { listDeviceTokens, listInvoices, listJobs, registerDeviceToken, signIn } from "./hey-api";

export async function use(baseUrl: string, login: string, password: string) {
  client.setConfig({ baseUrl });
  const { data: signedIn } = await signIn({ body: { user: { login, password } } });
  const { data, response } = await listInvoices({
    auth: signedIn?.token.access_token,
    query: { by_state: ["pending", "overdue"], per_page: 2 },
  });
  const auth = signedIn?.token.access_token;
  const body = { notification: { token: "a".repeat(64), platform: null } };
  const { data: device } = await registerDeviceToken({ auth, body });
  const { data: listed } = await listDeviceTokens({ auth });
  const { error } = await listJobs();
  return {
    states: data?.invoices.map(({ state }) => state),
    total: Number(response?.headers.get("total")),
    ids: [device?.notification.id, listed?.tokens[0]?.id],
    code: error && "code" in error ? error.code : undefined,
  };
}
`,
  orval: `
import {
  getGetInvoiceUrl,
  getJob,
  getListInvoicesUrl,
  listDeviceTokens,
  listInvoices,
  type Problem,
  registerDeviceToken,
  signIn,
} from "./orval";

export async function use(baseUrl: string, login: string, password: string) {
  const original = globalThis.fetch;
  let total = 0;
  globalThis.fetch = async (path, options) => {
    const response = await original(baseUrl + path, options);
    if (String(path).startsWith(getListInvoicesUrl())) total = Number(response.headers.get("total"));
    return response;
  };
  try {
    const { token } = await signIn({ user: { login, password } });
    const headers = { authorization: \`Bearer \${token.access_token}\` };
    const { invoices } = await listInvoices({ by_state: ["pending", "overdue"], per_page: 2 }, { headers });
    const { notification } = await registerDeviceToken({ notification: { token: "a".repeat(64), platform: null } }, { headers });
    const { tokens } = await listDeviceTokens({ headers });
    const ids = [notification.id, tokens[0]?.id];
    const refused = (await getJob(1)) as unknown as Problem;
    return { states: invoices.map(({ state }) => state), total, ids, code: refused.code, path: getGetInvoiceUrl(1) };
  } finally {
    globalThis.fetch = original;
  }
}
`,
};

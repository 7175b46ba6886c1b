// lib-dynamodb and jose, and nothing else.
import { listInvoices } from "./job.mjs";

export async function handler({ headers, queryStringParameters }) {
  const { status, ...answer } = await listInvoices(headers.authorization, queryStringParameters.by_state);
  return { statusCode: status, ...answer };
}

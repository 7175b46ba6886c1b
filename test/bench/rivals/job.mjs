// The job of GET invoices as anyone would write it with lib-dynamodb and jose: verify the token, read one page of a state
// and the total, answer them. All that the service is measured against does this job; it differs in what stands around it.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { importJWK, jwtVerify } from "jose";

const database = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const TableName = process.env.TABLE_NAME;
const perPage = 20;
const counterPartitions = [0, 1, 2, 3].map((shard) => `INVOICES#ALL#${shard}`);
let keys;

async function readKeys() {
  const { Items } = await database.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: "pk = :keys",
      ExpressionAttributeValues: { ":keys": "KEYS" },
    }),
  );
  const imported = Items.map(async ({ jwk }) => [jwk.kid, await importJWK(jwk, "ES256")]);
  return new Map(await Promise.all(imported));
}

async function callerOf(authorization = "") {
  keys ??= await readKeys();
  const { payload } = await jwtVerify(authorization.replace(/^Bearer /, ""), ({ kid }) => keys.get(kid), {
    algorithms: ["ES256"],
    issuer: process.env.TOKEN_ISSUER,
    audience: process.env.TOKEN_AUDIENCE,
  });
  return payload;
}

/** The page of a state, as JSON, and the number of all. */
async function pageOf(state) {
  const [{ Items }, ...counters] = await Promise.all([
    database.send(
      new QueryCommand({
        TableName,
        IndexName: "by-state",
        KeyConditionExpression: "all_key = :key",
        ExpressionAttributeValues: { ":key": `INVOICES#${state}` },
        ScanIndexForward: false,
        Limit: perPage + 1,
      }),
    ),
    ...counterPartitions.map((partition) =>
      database.send(
        new QueryCommand({
          TableName,
          IndexName: "by-total",
          KeyConditionExpression: "total_key = :key",
          ExpressionAttributeValues: { ":key": partition },
        }),
      ),
    ),
  ]);
  const invoices = Items.slice(0, perPage).map(({ record }) => record);
  const parts = counters.flatMap((counter) => counter.Items);
  const total = parts.reduce((sum, part) => sum + (part[state] ?? 0), 0);
  return { body: JSON.stringify({ invoices }), total: String(total) };
}

/** Status, headers and body for a request. */
export async function listInvoices(authorization, state) {
  const { role } = await callerOf(authorization);
  if (role !== "admin") return { status: 403, headers: {}, body: "{}" };
  const { body, total } = await pageOf(state);
  const headers = { "content-type": "application/json; charset=utf-8", "per-page": String(perPage), total };
  return { status: 200, headers, body };
}

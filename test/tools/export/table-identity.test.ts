import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type HttpService, startHttpService } from "../../../infra/local/http-service.ts";
import { describeTable } from "../../../infra/tools/export/table-identity.ts";

const hourMs = 60 * 60_000;
let service: HttpService;
let date = new Date();

beforeAll(async () => {
  service = await startHttpService((_, response) => {
    const Table = { TableArn: "arn:aws:dynamodb:eu-west-1:1:table/records", TableId: "one", ItemCount: 7 };
    const headers = { "content-type": "application/x-amz-json-1.0", date: date.toUTCString() };
    response.writeHead(200, headers).end(JSON.stringify({ Table }));
  });
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${service.port}`,
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    TABLE_NAME: "records",
  })) {
    vi.stubEnv(name, value);
  }
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.close();
});

test.each([
  -2, 0, 3,
])("the time of an export is the table's, whatever clock this machine has: %i hours off", async (hours) => {
  date = new Date(Date.now() - hours * hourMs);
  const { now, ...table } = await describeTable({ stage: "prod", directory: "/nowhere" });
  expect(Math.abs(now().getTime() - date.getTime())).toBeLessThan(60_000);
  expect(table).toMatchObject({ segments: 4, items: 7, identity: { id: "one", at: `127.0.0.1:${service.port}` } });
});

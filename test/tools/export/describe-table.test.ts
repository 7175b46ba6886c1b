import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type HttpService, startHttpService } from "../../../infra/local/http-service.ts";
import { describeTable } from "../../../infra/tools/export/describe-table.ts";
import { stubAws } from "../../support/service/stub-aws.ts";

const hourMs = 60 * 60_000;
let service: HttpService;
let date = new Date();

beforeAll(async () => {
  service = await startHttpService((_, response) => {
    const Table = { ItemCount: 7 };
    const headers = { "content-type": "application/x-amz-json-1.0", date: date.toUTCString() };
    response.writeHead(200, headers).end(JSON.stringify({ Table }));
  });
  stubAws("DYNAMODB", service.port);
  vi.stubEnv("TABLE_NAME", "records");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.close();
});

test.each([
  -2, 0, 3,
])("the time of an export is the table's, whatever clock this machine has: %i hours off", async (hours) => {
  date = new Date(Date.now() - hours * hourMs);
  const { now, items } = await describeTable();
  expect(Math.abs(now().getTime() - date.getTime())).toBeLessThan(60_000);
  expect(items).toBe(7);
});

import { expect, test } from "vitest";
import { bulkUpdateTimesheets } from "../../../shared/contract/finance.ts";
import { countsKey } from "../../../shared/notifications/notifications.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { updateRaw } from "../../support/records/items.ts";
import { timesheetLine, userLine } from "../../support/records/records.ts";
import { send, signIn } from "../../support/requests/http-client.ts";
import { type DeployedStage, importLines } from "./deployed-stage.ts";
import { runTool } from "./program.ts";

const login = "night@workforce.example";
const password = "nine quiet harbours";
const reading = { timeout: 60_000, interval: 2_000 };

/** Has vitest see that `npm run explain` says what failed in a function of the API, a consumer of the stream and a queue's worker. */
export function testExplain(stage: () => DeployedStage, options: readonly string[]): void {
  test("explain shows the requests that failed, from the stage's own logs, by lines of the sources", async () => {
    await importLines([
      userLine(90, { email: login, password, role: "admin", financial_company_id: null }),
      userLine(91, { role: "driver", email: "driver@workforce.example", profile_id: 70 }),
      timesheetLine(1, 1),
      timesheetLine(2, 1),
    ]);
    await damage();
    const bearer = await signIn(stage().baseUrl, login, password);
    const [first, damaged] = [await pay(1, stage().baseUrl, bearer), await pay(2, stage().baseUrl, bearer)];
    await explained(
      [...options, "--request", damaged],
      /bulk-update-timesheets +error fault status=500 .*\n {4}at \w+ \(shared\/http\/answer\.ts:\d+:\d+\)/,
      /quarantined .*\n {4}at \w+ \(functions\/workers\/notification-events\.ts:\d+:\d+\)/,
    );
    const ofFirst = await explained(
      [...options, "--request", first],
      /bulk-update-timesheets +answered status=200/,
      /deliver-notifications +error fault .*(?:TransactionCanceled|Validation)Exception.*\n(?: {4}.*\n)*? {4}at .*shared\/table\/writes\.ts:\d+:\d+/,
    );
    expect(ofFirst).not.toMatch(/harbours|workforce\.example|Ada|Holt/);
  }, 240_000);
}

/** The second timesheet lacks its driver; the notifications of the first one's driver cannot be counted. */
async function damage(): Promise<void> {
  const ofTimesheet = { Key: { ...recordKey("TIMESHEET", 2) }, UpdateExpression: "REMOVE #record.driver" };
  await updateRaw({ ...ofTimesheet, ExpressionAttributeNames: { "#record": "record" } });
  await updateRaw({
    Key: { ...countsKey(91) },
    UpdateExpression: "SET #total = :text",
    ExpressionAttributeNames: { "#total": "total" },
    ExpressionAttributeValues: { ":text": "many" },
  });
}

async function pay(id: number, baseUrl: string, bearer: string): Promise<string> {
  const { method, path } = bulkUpdateTimesheets;
  const body = { timesheet: { timesheet_ids: [id], state: "paid" } };
  const { headers } = await send(baseUrl, method, path, { bearer, body });
  return headers.get("x-request-id") ?? "";
}

/** The story that a call of explain prints once it has all parts: lines of several functions reach the stage's logs in no order. */
async function explained(call: readonly string[], ...parts: readonly RegExp[]): Promise<string> {
  let story = "";
  for (const part of parts) {
    await expect
      .poll(async () => {
        story = (await runTool("explain", ...call)).output;
        return story;
      }, reading)
      .toMatch(part);
  }
  return story;
}

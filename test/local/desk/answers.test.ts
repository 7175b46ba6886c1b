import { expect, test, vi } from "vitest";
import { changeDesk, readDesk } from "../../../infra/local/desk/answers.ts";
import type { DeskSources } from "../../../infra/local/desk/sources.ts";
import type { RecordChange } from "../../../infra/local/desk/views.ts";
import { countFailure } from "../../../shared/people/limits.ts";
import { changeIdOf, putHistory } from "../../support/records/history.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { rules } from "../../support/requests/limits.ts";
import { useService } from "../../support/service/service.ts";
import { deskSources } from "./happenings.ts";

useService();

test("a token is of a user in the table, for a day", async () => {
  await store([userLine(7, { role: "operator", financial_company_id: 3 })]);
  const mintAccessToken = vi.fn<DeskSources["mintAccessToken"]>(async () => "minted");
  const sources = deskSources({ mintAccessToken });
  expect(await changeDesk("token", { user: 7 }, sources)).toEqual({ token: "minted" });
  expect(mintAccessToken.mock.calls).toEqual([[{ id: 7, role: "operator", company_id: 3 }, 86_400]]);
  await expect(changeDesk("token", { user: 8 }, sources)).rejects.toThrow("No user has the id 8.");
});

test("the counts of limits are forgotten, and their number is said", async () => {
  const now = new Date();
  for (const subject of ["a", "b"]) await countFailure({ rule: rules.password, subject }, now);
  expect(await changeDesk("limits", {}, deskSources())).toEqual({ done: "2 counts forgotten" });
  expect(await changeDesk("limits", {}, deskSources())).toEqual({ done: "0 counts forgotten" });
});

test("a record has its newest 50 changes, one of a kind without a history none", async () => {
  await putHistory(Array.from({ length: 51 }, (_, at) => ({ type: "job", id: 4, changeId: changeIdOf(at) })));
  const changesOf = (kind: string) =>
    readDesk("changes", new URLSearchParams({ kind, id: "4" }), deskSources()) as Promise<RecordChange[] | undefined>;
  expect(await changesOf("job")).toHaveLength(50);
  expect(await changesOf("session")).toBeUndefined();
});

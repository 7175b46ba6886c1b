import { expect, test, vi } from "vitest";
import { changeDesk } from "../../../infra/local/desk/answers.ts";
import type { DeskSources } from "../../../infra/local/desk/sources.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
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

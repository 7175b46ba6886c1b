import { describe, expect, test } from "vitest";
import { lineErrors } from "../../../infra/tools/import/line-errors.ts";
import { Refusal } from "../../../shared/contract/refusals.ts";

describe("a fault", () => {
  const faults = (given: object, ...paths: string[]) => {
    const errors = paths.map((path) => ({ pointer: `/${path}`, code: "invalid", detail: "d" }) as const);
    return lineErrors({ number: 7, given }, new Refusal("fields_invalid", "x", { errors }));
  };
  const fault = { line: 7, code: "invalid", detail: "d" };

  test("names the record and shows ids, dates and states, at most 40 characters of them", () => {
    const given = {
      id: 17,
      uuid: "x".repeat(50),
      due_date: "31.02.2026",
      state: "offen",
      company_id: "K-9",
      timelog: { start_at: "1 Nov 2026" },
    };
    expect(
      faults(given, "uuid", "due_date", "state", "company_id", "timelog/start_at").map(({ value }) => value),
    ).toEqual(["x".repeat(40), "31.02.2026", "offen", "K-9", "1 Nov 2026"]);
    expect(faults(given, "due_date")).toEqual([{ ...fault, id: 17, field: "due_date", value: "31.02.2026" }]);
  });

  test("shows no name and no contact, not even in the column of an id, a date or a state", () => {
    const names = { first_name: "Xenia", email: "x@example.com", number: "Quill", password: "secret" };
    const misplaced = {
      id: "Xenia Quill",
      due_date: "Xenia",
      created_at: "x@example.com",
      state: "Xenia Quill",
      user_id: "x@example.com",
    };
    const given = { ...names, ...misplaced };
    expect(faults(given, ...Object.keys(given))).toEqual(Object.keys(given).map((field) => ({ ...fault, field })));
  });
});

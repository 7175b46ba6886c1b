import { expect, test } from "vitest";
import { positionFault, positionOf } from "../../shared/records/items.ts";

const invoice = { id: 7, state: "pending", issued_date: "2026-05-31", number: "INV-7" };

test("an invoice is listed by company, state, date and number", () => {
  const { id, state, issued_date: date, number } = invoice;
  expect(positionOf("INVOICES", 1, invoice)).toEqual({ id, companyId: 1, state, date, number });
});

test.each([
  [{ id: 7.5 }, "id is not a whole number"],
  [{ state: "" }, "state is not a text"],
  [{ state: undefined }, "state is not a text"],
  [{ issued_date: "2026-5-31" }, "issued_date is not a calendar date"],
  [{ number: "" }, "number is not a text"],
  [{ number: 7 }, "number is not a text"],
])("an invoice with %j has no place", (changes, fault) => {
  expect(positionFault("INVOICES", 1, { ...invoice, ...changes })).toBe(`The record's ${fault}`);
  expect(() => positionOf("INVOICES", 1, { ...invoice, ...changes })).toThrow(fault);
});

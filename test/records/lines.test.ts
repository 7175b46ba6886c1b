import { expect, test } from "vitest";
import { parseRecordLine } from "../../shared/lines.ts";
import { invoiceLine, jobLine, notificationLine, timesheetLine, userLine } from "../support/records/records.ts";
import { refusalOf } from "../support/requests/refusals.ts";

function faultsOf(line: unknown): string[] {
  const { code, facts } = refusalOf(() => parseRecordLine(line, "GB"));
  expect(code).toBe("fields_invalid");
  return facts.errors?.map((fault) => `${fault.pointer} ${fault.code}`) ?? [];
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { in: nested(levels - 1) };
}

const timelog = timesheetLine(1, 1).timelog;
const driver = timesheetLine(1, 1).driver;
const rest = {
  id: 1,
  start_at: timelog.start_at,
  end_at: timelog.end_at,
  duration: { hours: 0, minutes: 30 },
  paid: false,
};

test.each<[string, unknown, string[]]>([
  ["no object", [], [" wrong_type"]],
  ["null", null, [" wrong_type"]],
  ["no type", { id: 1 }, ["/type missing"]],
  ["an unknown type", { type: "constructor", id: 1 }, ["/type not_allowed"]],
  ["no id", { type: "job" }, ["/id missing"]],
  ["a fractional id", { type: "job", id: 1.5 }, ["/id wrong_type"]],
  ["an id of 0", { type: "job", id: 0 }, ["/id out_of_range"]],
  ["an id above 2^53", { type: "job", id: 2 ** 60 }, ["/id wrong_type"]],
  ["a user with the id of a masked one", { type: "user", id: 2 ** 52 }, ["/id invalid"]],
  ["an unknown field", { type: "job", id: 1, titel: "x" }, ["/titel unknown_field"]],
  ["an unknown field inside", timesheetLine(1, 1, { driver: { ...driver, age: 3 } }), ["/driver/age unknown_field"]],
  ["null for what cannot be null", { type: "job", id: 1, title: null }, ["/title wrong_type"]],
  ["an invoice's unknown state", { type: "invoice", id: 1, state: "void" }, ["/state not_allowed"]],
  ["two states that differ", timesheetLine(1, 1, { payment_state: "paid" }), ["/payment_state invalid"]],
  ["money as a number", { type: "invoice", id: 1, total: 12.5 }, ["/total wrong_type"]],
  ["a day that is not", { type: "invoice", id: 1, due_date: "2026-02-30" }, ["/due_date invalid"]],
  ["a day of a misread year", { type: "invoice", id: 1, due_date: "0026-11-17" }, ["/due_date invalid"]],
  ["a day before 1970", timesheetLine(1, 1, { date: "1969-12-31" }), ["/date invalid"]],
  ["a moment after 2199", { type: "job", id: 1, published_at: "2200-01-01T00:00:00.000Z" }, ["/published_at invalid"]],
  [
    "a break in a misread year",
    timesheetLine(1, 1, { timelog: { ...timelog, breaks: [{ ...rest, end_at: "0026-05-04T10:00:00.000Z" }] } }),
    ["/timelog/breaks/0/end_at invalid"],
  ],
  ["a currency that ISO 4217 has not", { type: "invoice", id: 1, currency: "ZZZ" }, ["/currency invalid"]],
  ["a currency in small letters", timesheetLine(1, 1, { currency: "gbp" }), ["/currency invalid"]],
  ["an amount with leading zeros", { type: "invoice", id: 1, total: "00001.00" }, ["/total invalid"]],
  ["an amount of -0", timesheetLine(1, 1, { total: "-0.00" }), ["/total invalid"]],
  ["a rate of -0", { type: "invoice", id: 1, vat_percentage: "-0" }, ["/vat_percentage invalid"]],
  [
    "hours below zero",
    timesheetLine(1, 1, { timelog: { ...timelog, duration: { hours: -8 } } }),
    ["/timelog/duration/hours out_of_range"],
  ],
  [
    "60 minutes beside the hours",
    timesheetLine(1, 1, { timelog: { ...timelog, duration: { hours: 8, minutes: 60 } } }),
    ["/timelog/duration/minutes out_of_range"],
  ],
  [
    "a break of a negative time",
    timesheetLine(1, 1, { timelog: { ...timelog, breaks: [{ ...rest, duration: { hours: -1, minutes: -1 } }] } }),
    ["/timelog/breaks/0/duration/hours out_of_range", "/timelog/breaks/0/duration/minutes out_of_range"],
  ],
  ["a line end in a company's name", { type: "company", id: 1, name: "Harbour\nLogistics" }, ["/name invalid"]],
  ["a blank company's name", { type: "company", id: 1, name: " \u200b\u00a0" }, ["/name too_short"]],
  ["an override in a user's name", { type: "user", id: 1, last_name: "Ho\u202elt" }, ["/last_name invalid"]],
  [
    "an isolate in a driver's name",
    timesheetLine(1, 1, { driver: { ...driver, first_name: "A\u2067da" } }),
    ["/driver/first_name invalid"],
  ],
  ["a tab in a title", { type: "job", id: 1, title: "Night\tdriver" }, ["/title invalid"]],
  ["a line end in an industry", { type: "job", id: 1, industries: ["Rail", "Ro\u2028ad"] }, ["/industries/1 invalid"]],
  [
    "a control character in a kind of notification",
    notificationLine(1, 2, { params: { type: "is\u0007sued" } }),
    ["/params/type invalid"],
  ],
  ["a NUL byte", { type: "job", id: 1, title: "a\0b" }, ["/title invalid"]],
  ["a lone surrogate", { type: "job", id: 1, title: "\ud800" }, ["/title invalid"]],
  ["a lone surrogate in a name", { type: "user", id: 1, first_name: "\udc00" }, ["/first_name invalid"]],
  ["a NUL byte in params", notificationLine(1, 2, { params: { type: "x", note: ["\0"] } }), ["/params invalid"]],
  ["params too deep", notificationLine(1, 2, { params: { type: "x", deep: nested(12) } }), ["/params invalid"]],
  ["a number too great in params", notificationLine(1, 2, { params: { type: "x", n: 1e300 } }), ["/params invalid"]],
  [
    "a number nearer to zero than a table takes, in params",
    notificationLine(1, 2, { params: { type: "x", n: 1e-101 } }),
    ["/params invalid"],
  ],
  ["2^53 in params", notificationLine(1, 2, { params: { type: "x", n: 2 ** 53 } }), ["/params invalid"]],
  ["too much in params", notificationLine(1, 2, { params: { type: "x", s: "y".repeat(17_000) } }), ["/params invalid"]],
  [
    "an endless timelog",
    timesheetLine(1, 1, { timelog: { ...timelog, duration: { hours: 1e300 } } }),
    ["/timelog invalid"],
  ],
  ["a notification of nobody", { type: "notification", id: 1, deleted: true }, ["/user_id missing"]],
  ["deleted that is not true", { type: "job", id: 1, deleted: false }, ["/deleted wrong_type"]],
  ["fields beside deleted", { type: "job", id: 1, deleted: true, title: "x" }, ["/title unknown_field"]],
  ["a fractional version", { type: "job", id: 1, version: 0.5 }, ["/version wrong_type"]],
  ["no e-mail address", { type: "user", id: 1, email: "nobody" }, ["/email invalid"]],
  ["no phone number", { type: "user", id: 1, phone_number: "12" }, ["/phone_number invalid"]],
  [
    "an e-mail address for a phone number",
    { type: "user", id: 1, phone_number: "a@example.com" },
    ["/phone_number invalid"],
  ],
  ["a short password", { type: "user", id: 1, password: "1234567" }, ["/password invalid"]],
  ["a long password", { type: "user", id: 1, password: "x".repeat(129) }, ["/password invalid"]],
  ["a passcode with a leading zero", { type: "user", id: 1, passcode: "0123" }, ["/passcode invalid"]],
  [
    "params above 16 KiB",
    notificationLine(1, 2, { params: { type: "x", text: "€".repeat(5_500) } }),
    ["/params invalid"],
  ],
  [
    "a timelog above 32 KiB",
    timesheetLine(1, 1, { timelog: { ...timelog, breaks: [{ ...rest, note: "€".repeat(11_000) }] } }),
    ["/timelog invalid"],
  ],
  ["a noncharacter", { type: "job", id: 1, title: "X\uffff" }, ["/title invalid"]],
  ["the sign of a lost letter", { type: "job", id: 1, title: "M\ufffdller" }, ["/title invalid"]],
  [
    "the sign of a lost letter deep in params",
    notificationLine(1, 2, { params: { type: "x", y: [{ z: "M\ufffdller" }] } }),
    ["/params invalid"],
  ],
  [
    "a noncharacter in a key of its own",
    notificationLine(1, 2, { params: { type: "x", y: "\ufdd0" } }),
    ["/params invalid"],
  ],
  ["an unknown role", { type: "user", id: 1, role: "root" }, ["/role not_allowed"]],
  [
    "two companies",
    { type: "user", id: 1, company: { id: 1, name: "A" }, financial_company_id: 2 },
    ["/company invalid"],
  ],
])("D35: refused by field: %s", (_, line, faults) => {
  expect(faultsOf(line)).toEqual(faults);
});

test("params of twelve levels are taken", () => {
  const params = { type: "x", deep: nested(11) };
  expect(parseRecordLine(notificationLine(1, 2, { params }), "GB")).toMatchObject({ params });
});

test("a refusal never repeats a value", () => {
  const line = userLine(1, { email: "SECRET", password: "SECRET", passcode: "SECRET", role: "SECRET" });
  const { message, facts } = refusalOf(() => parseRecordLine(line, "GB"));
  expect(message + JSON.stringify(facts)).not.toContain("SECRET");
});

test("D7: logins come out in their normal form", () => {
  const line = userLine(1, { email: " Ines@Example.COM ", phone_number: "020 7946 0123" });
  expect(parseRecordLine(line, "GB")).toMatchObject({ email: "ines@example.com", phone_number: "+442079460123" });
});

test("D7, D19: logins and passcode of a line are read as people type them", () => {
  const typed = {
    email: "Jean–Ｌuc@example.com\u200b",
    phone_number: "\u202a０７４００\u00a0123456\u202c",
    passcode: "47 11",
  };
  expect(parseRecordLine(userLine(1, typed), "GB")).toMatchObject({
    email: "jean-luc@example.com",
    phone_number: "+447400123456",
    passcode: "4711",
  });
});

test("D33: names of every record are trimmed, and further texts stay as sent", () => {
  const wide = (text: string) => `\u00a0 ${text}\u200b\r\n`;
  const timesheet = { company_name: wide("Harbour"), driver: { ...driver, last_name: wide("Holt") } };
  expect(parseRecordLine(timesheetLine(1, 1, timesheet), "GB")).toMatchObject({
    company_name: "Harbour",
    driver: { ...driver, last_name: "Holt" },
  });
  expect(parseRecordLine({ type: "company", id: 1, name: wide("Harbour") }, "GB")).toMatchObject({ name: "Harbour" });
  const user = { first_name: wide("Ada"), last_name: wide(""), job_position: wide("Lead") };
  expect(parseRecordLine(userLine(1, user), "GB")).toMatchObject({
    first_name: "Ada",
    last_name: "",
    job_position: "Lead",
  });
  const job = { title: wide("Driver"), industries: [wide("Rail")], postcode: wide("SE1 9SG") };
  expect(parseRecordLine(jobLine(1, 1, job), "GB")).toMatchObject({
    title: "Driver",
    industries: ["Rail"],
    postcode: "SE1 9SG",
  });
  const params = { type: "message", text: " Hello,\n\tAda " };
  expect(parseRecordLine(notificationLine(1, 2, { params }), "GB")).toMatchObject({ params });
});

test("D35: JSON's -0 is 0", () => {
  const line: unknown = JSON.parse('{"type":"job","id":1,"number":-0,"version":-0.0}');
  expect(parseRecordLine(line, "GB")).toEqual({ type: "job", id: 1, number: 0, version: 0 });
});

test("D19: a passcode may be a number", () => {
  expect(parseRecordLine(userLine(1, { passcode: 4711 }), "GB")).toMatchObject({ passcode: "4711" });
});

test.each([
  invoiceLine(1, 1),
  jobLine(1, 1),
  timesheetLine(1, 1),
  notificationLine(1, 2),
])("a whole $type passes unchanged", (line) => {
  expect(parseRecordLine(line, "GB")).toEqual(line);
});

test("D36: further keys of breaks and params are kept", () => {
  const line = timesheetLine(1, 1, { timelog: { ...timelog, breaks: [rest] } });
  expect(parseRecordLine(line, "GB")).toEqual(line);
});

test.each([
  ["/__proto__ not_allowed", '"__proto__":{"role":"admin"}'],
  ["/constructor not_allowed", '"constructor":"admin"'],
  ["/toString unknown_field", '"toString":1'],
])("D35: a field that is named like a property of objects is refused: %s", (fault, field) => {
  const line: unknown = JSON.parse(`{"type":"company","id":1,"name":"A",${field}}`);
  expect(faultsOf(line)).toEqual([fault]);
});

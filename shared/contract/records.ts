import * as v from "valibot";
import { profile } from "./accounts.ts";
import { driver, invoice, passcode, timelog, timesheet } from "./finance.ts";
import { job } from "./jobs.ts";
import { maxParamsBytes, notification, notificationParams } from "./notifications.ts";
import { id, isPlainText, leastMaskedId, locale, oneLine, password } from "./values.ts";

/** Currencies and funds in use. Source: list one of ISO 4217, published by SIX on 2026-01-01. */
const inUse = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
  CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL
  HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA
  MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD
  RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD
  USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX
  YER ZAR ZMW ZWG`;

/** Those withdrawn, in which older records are. A code that is withdrawn moves here. Source: list three of the same day. */
const withdrawn = `
  ADP AFA ALK ANG AOK AON AOR ARA ARP ARY ATS AYM AZM BAD BEC BEF BEL BGJ BGK BGL BGN BOP BRB BRC BRE BRN BRR BUK BYB
  BYR CHC CSD CSJ CSK CUC CYP DDM DEM ECS ECV EEK ESA ESB ESP FIM FRF GEK GHC GHP GNE GNS GQE GRD GWE GWP HRD HRK IEP
  ILP ILR ISJ ITL LAJ LSM LTL LTT LUC LUF LUL LVL LVR MGF MLF MRO MTL MTP MVQ MXP MZE MZM NIC NLG PEH PEI PES PLZ PTE
  RHD ROK ROL RUR SDD SDP SIT SKK SLL SRG STD SUR TJR TMM TPE TRL UAK UGS UGW USS UYN UYP VEB VEF VNC XEU XFO XFU XRE
  YDD YUD YUM YUN ZAL ZMK ZRN ZRZ ZWC ZWD ZWL ZWN ZWR`;

const codes = new Set(`${inUse} ${withdrawn}`.trim().split(/\s+/));

/** True for a code of ISO 4217 in capitals, also for one that is withdrawn. */
export function isCurrency(code: string): boolean {
  return codes.has(code);
}

/** A timesheet with 50 breaks has some 10 KB; an item has at most 400 KB. */
export const maxTimelogBytes = 32_768;
/** DynamoDB takes 32 levels, those of the item and the record among them. */
const maxLevels = 12;

/** The contents of a notification besides its record: a `type` and further keys, within the table's limits. */
export const storableParams = v.pipe(notificationParams, storable(maxParamsBytes));

const { company, ...userFields } = profile.entries;
const ownedByCompany = { company_id: id };

/** The currency of a line. Answers show whatever is stored, so that functions that only read are without the codes. */
const lineCurrency = v.pipe(
  v.string(),
  v.check(isCurrency, "must be a currency code of ISO 4217 in capitals, such as GBP"),
);

/** Every complete type of record, as required before it is stored: the interface's fields and the owner. */
export const completeRecords = {
  company: v.object({ id, name: oneLine(200) }),
  user: v.object(userFields),
  timesheet: v.object({ ...timesheet.entries, currency: lineCurrency, ...ownedByCompany }),
  invoice: v.object({ ...invoice.entries, currency: lineCurrency, ...ownedByCompany }),
  job: v.object({ ...job.entries, ...ownedByCompany }),
  notification: v.object({ ...notification.entries, params: notificationParams, user_id: id }),
} as const;

/** A type of record that imports and events bring (D35). */
export type RecordType = keyof typeof completeRecords;

/** The types of record that imports and events bring (D35). */
export const recordTypes = Object.keys(completeRecords) as readonly RecordType[];

/** A complete record of one type. */
export type CompleteRecord<T extends RecordType> = v.InferOutput<(typeof completeRecords)[T]>;

/** Version of a record in its source system: a whole number from 0 to 2^53 − 1 that rises with every change. */
export const version = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** The common fields of lines. A null version deletes the stored version and tombstone (D35). */
function head<const T extends RecordType>(type: T) {
  return { type: v.literal(type), id, version: v.optional(v.nullable(version)) };
}

function removal<const T extends RecordType>(type: T) {
  return v.strictObject({ ...head(type), deleted: v.literal(true) });
}

/**
 * The lines that add or change a record. Every field except `type` and `id` is optional; unknown fields are refused
 * (D35).
 */
export const upsertLines = {
  company: v.strictObject({ ...v.partial(completeRecords.company).entries, ...head("company") }),
  user: v.pipe(
    v.strictObject({
      ...v.partial(completeRecords.user).entries,
      ...head("user"),
      id: v.pipe(
        id,
        v.check((value) => value < leastMaskedId, "must be below 2^52"),
      ),
      company: v.optional(company),
      locale: v.optional(v.nullable(locale)),
      password: v.optional(v.nullable(password)),
      passcode: v.optional(v.nullable(passcode)),
    }),
    v.forward(
      v.partialCheck(
        [["company"], ["financial_company_id"]],
        ({ company, financial_company_id: companyId }) =>
          company === undefined || companyId === undefined || (company?.id ?? null) === companyId,
        "must be the company of financial_company_id",
      ),
      ["company"],
    ),
  ),
  timesheet: v.pipe(
    v.strictObject({
      ...v.partial(completeRecords.timesheet).entries,
      ...head("timesheet"),
      driver: v.optional(v.strictObject(driver.entries)),
      timelog: v.optional(v.pipe(v.strictObject(timelog.entries), storable(maxTimelogBytes))),
    }),
    v.forward(
      v.partialCheck(
        [["state"], ["payment_state"]],
        ({ state, payment_state }) => state === undefined || payment_state === undefined || state === payment_state,
        "must be the same as state",
      ),
      ["payment_state"],
    ),
  ),
  invoice: v.strictObject({ ...v.partial(completeRecords.invoice).entries, ...head("invoice") }),
  job: v.strictObject({ ...v.partial(completeRecords.job).entries, ...head("job") }),
  notification: v.strictObject({
    ...v.partial(completeRecords.notification).entries,
    ...head("notification"),
    user_id: id,
    params: v.optional(storableParams),
  }),
} as const satisfies Readonly<Record<RecordType, v.GenericSchema>>;

/** The lines that remove a record: `{"type", "id", "deleted": true}` (D35). */
export const removalLines = {
  company: removal("company"),
  user: removal("user"),
  timesheet: removal("timesheet"),
  invoice: removal("invoice"),
  job: removal("job"),
  notification: v.strictObject({ ...removal("notification").entries, user_id: id }),
} as const satisfies Readonly<Record<RecordType, v.GenericSchema>>;

/** A line that adds or changes a record of one type. */
export type UpsertLine<T extends RecordType> = v.InferOutput<(typeof upsertLines)[T]>;

/** A line that removes a record of one type. */
export type RemovalLine<T extends RecordType> = v.InferOutput<(typeof removalLines)[T]>;

/** A line of one type, or of any. */
export type RecordLine<T extends RecordType = RecordType> = { [K in T]: UpsertLine<K> | RemovalLine<K> }[T];

/** Checks that values with open keys fit the table: plain text, numbers of its range, limited depth and size. */
function storable<T>(maxBytes: number) {
  return v.check<T, string>(
    (value) => isStorable(value, maxLevels) && Buffer.byteLength(JSON.stringify(value)) <= maxBytes,
    `must be at most ${maxBytes} bytes of well-formed JSON, ${maxLevels} levels deep, with numbers below 2^53`,
  );
}

function isStorable(value: unknown, levels: number): boolean {
  if (typeof value === "string") return isPlainText(value);
  if (typeof value === "number") return value === 0 || (Math.abs(value) > 1e-100 && Math.abs(value) < 2 ** 53);
  if (typeof value !== "object" || value === null) return true;
  return (
    levels > 0 &&
    Object.entries(value).every(([key, inner]) => key !== "" && isPlainText(key) && isStorable(inner, levels - 1))
  );
}

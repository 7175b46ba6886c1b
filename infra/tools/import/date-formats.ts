/** The parts of a format, each as long as its name says; a single letter has one or two digits. */
const parts = {
  YYYY: "year",
  MM: "month",
  M: "month",
  DD: "day",
  D: "day",
  HH: "hour",
  H: "hour",
  hh: "hour",
  h: "hour",
  mm: "minute",
  ss: "second",
  A: "half",
} as const;

const takes =
  "takes YYYY, MM or M, DD or D, HH or H (hh or h with A for AM and PM), mm, ss and . / : , - _ T or blanks between them; two digits are no year";

/** A date and a time of day as a cell has them. */
export interface WrittenTime {
  /** `YYYY-MM-DD`, not checked against the calendar. */
  readonly date: string;
  /** `HH:mm:ss`, zeros if the format has no time. */
  readonly clock: string;
}

/** Reads the cells of one format; gives undefined for another. */
export type DateReader = (cell: string) => WrittenTime | undefined;

/** Reads a format. Throws an error with a sentence if no cell can have it, or if it leaves open where a part ends. */
export function readFormat(format: string): DateReader {
  const tokens = format.match(/YYYY|MM?|DD?|HH?|hh?|mm|ss|A|./gsu) ?? [];
  const kinds = tokens.flatMap((token) => (isPart(token) ? parts[token] : []));
  const has = (kind: (typeof kinds)[number]) => kinds.includes(kind);
  const isNumber = (token = "") => isPart(token) && token !== "A";
  const isOpen = (token: string, at: number) =>
    [token, tokens[at + 1]].every(isNumber) && [token, tokens[at + 1]].some((each) => each?.length === 1);
  const faults = [
    [!tokens.every((token) => isPart(token) || /^[./:, T_-]$/.test(token)), takes],
    [!(has("year") && has("month") && has("day")), `needs a year, a month and a day: it ${takes}`],
    [new Set(kinds).size < kinds.length, "has a part twice"],
    [has("minute") && !has("hour"), "has mm without an hour"],
    [has("second") && !has("minute"), "has ss without mm"],
    [/h/.test(format) !== has("half"), "has A without hh or h, or one of them without A"],
    [format.startsWith("YYYY-D"), "has the day where the dates of the interface, YYYY-MM-DD, have the month"],
    [tokens.some(isOpen), "does not show where a part of one or two digits ends"],
  ] as const;
  const [, fault] = faults.find(([isWrong]) => isWrong) ?? [];
  if (fault) throw new Error(fault);
  const pattern = new RegExp(`^${tokens.map(patternOf).join("")}$`, "u");
  return (cell) => {
    const found = pattern.exec(cell)?.groups;
    if (!found) return undefined;
    const { year, month, day, hour = "0", minute = "0", second = "0", half } = found;
    const hours = half === undefined ? hour : hourOf(hour, half);
    if (Number(hours) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
    return {
      date: [year, ...[month, day].map(twoDigits)].join("-"),
      clock: [hours, minute, second].map(twoDigits).join(":"),
    };
  };
}

function isPart(token: string): token is keyof typeof parts {
  return Object.hasOwn(parts, token);
}

function patternOf(token: string): string {
  // Programs write no-break spaces before AM and PM, or between a date and its time.
  if (token === " ") return "\\p{Zs}";
  if (!isPart(token)) return token === "." ? "\\." : token;
  const text = token === "A" ? "[AaPp][Mm]" : `\\d{${token.length === 1 ? "1,2" : token.length}}`;
  return `(?<${parts[token]}>${text})`;
}

function twoDigits(number = ""): string {
  return number.padStart(2, "0");
}

/** The hour of 24 for one of a 12-hour clock: 12 AM is 0. Above 23 for one that such a clock does not show. */
function hourOf(hour: string, half: string): string {
  const of12 = Number(hour);
  if (of12 < 1 || of12 > 12) return "99";
  return String((of12 % 12) + (/p/i.test(half) ? 12 : 0));
}

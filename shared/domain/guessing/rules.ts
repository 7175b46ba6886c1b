import type { RefusalCode } from "../../contract/refusals.ts";

/** The windows by the clock (UTC) in which attempts are counted. */
type WindowLength = "hour" | "day" | "none";

/** The number of attempts that a subject has in a window. */
export interface LimitRule {
  /** The subject whose attempts are counted. */
  readonly subjectKind: "login" | "client" | "proof" | "stage" | "user" | "session" | "passcode";
  readonly most: number;
  /** The most attempts of one client within those of the subject. */
  readonly mostOfClient?: number;
  readonly window: WindowLength;
  /** Code of the refusals if it is not `too_many_requests`. */
  readonly code?: RefusalCode;
  /** The reason in the refusals if it is not "Too many attempts". */
  readonly reason?: string;
}

const tooManyPasswords = "Too many wrong passwords: a pin lets you in at once, with its reset token in Known-Client";

/** The limits on guessing and sending by anyone (D5, D10, D11, D15, D19). */
export const rules = {
  /** Passwords of a login by clients without a proof. */
  password: {
    subjectKind: "login",
    most: 60,
    mostOfClient: 20,
    window: "day",
    reason: tooManyPasswords,
  },
  /** Wrong passwords of a client at all logins. */
  failures: { subjectKind: "client", most: 2_000, window: "day", reason: tooManyPasswords },
  /** Passwords by a client with a proof. */
  knownPassword: { subjectKind: "proof", most: 10, window: "day" },
  /** Wrong short pins of all logins: above it every pin is long. */
  wrongPins: { subjectKind: "stage", most: 5_000, window: "day" },
  registration: { subjectKind: "client", most: 30, window: "hour" },
  passcode: { subjectKind: "user", most: 20, window: "day", code: "passcode_locked" },
  /** Wrong passcodes in a row, until the right one. */
  passcodesInRow: {
    subjectKind: "passcode",
    most: 100,
    window: "none",
    code: "passcode_locked",
    reason: "100 wrong passcodes in a row: the support of the service has to unlock it or set another one first",
  },
  /** Numbers of a session's refresh tokens whose answer was given again. */
  repeats: { subjectKind: "session", most: 20, window: "day" },
} as const satisfies Readonly<Record<string, LimitRule>>;

/** The name of a rule. */
export type RuleName = keyof typeof rules;

/** The lengths and lives of pins, and the limits on sending and trying them (D9, D10, D11). */
export const pinRules = {
  lifeMinutes: 12,
  /** Tries of a login's short pins in a day, right or wrong. */
  triesADay: 20,
  /** The most messages of one pin that are sent. */
  messagesOfPin: 3,
  /** Messages that a login is sent in a day before each pin is sent only once. */
  freeMessagesADay: 10,
} as const;

/** A window by the clock. */
export interface LimitWindow {
  /** Its start in ISO 8601, or `ALL`. */
  readonly start: string;
  readonly endsAt: Date;
}

const msOf = { hour: 3_600_000, day: 86_400_000 };
/** A rule without a window lets its subject try again after a day, whatever the day. */
const tryAgainMs = msOf.day;

/** The window of a rule at a moment. */
export function windowOf({ window }: LimitRule, now: Date): LimitWindow {
  if (window === "none") return { start: "ALL", endsAt: new Date(now.getTime() + tryAgainMs) };
  const start = now.getTime() - (now.getTime() % msOf[window]);
  return { start: new Date(start).toISOString(), endsAt: new Date(start + msOf[window]) };
}

import * as v from "valibot";
import { findUsersOfProfile } from "../../../shared/people/logins.ts";
import { findUser } from "../../../shared/people/users.ts";
import { historyItems, historyPartition } from "../../../shared/records/history.ts";
import { queryPages } from "../../../shared/table/table.ts";

/** A person, as others' records name them. */
export interface Person {
  readonly id: number;
  readonly isUser: boolean;
  /**
   * Their driver profiles in timesheets: false if another user has the profile today. Then only names identify the
   * driver.
   */
  readonly profiles: ReadonlyMap<number, boolean>;
  /** Every combination of first and last names that they have had. */
  readonly names: Name[];
}

interface Name {
  readonly first_name: string;
  readonly last_name: string;
}

interface Driver extends Name {
  readonly profile_id: number;
}

/** The part of a forgotten person that is kept outside the table. */
export interface ErasedEntry {
  readonly id: number;
  readonly profile_ids: readonly number[];
  /** The time they were first forgotten, in UTC. */
  readonly erased_at: string;
}

/**
 * A person, from the user, their own history and the list of forgotten people; undefined if none of them knows the id.
 */
export async function findPerson(id: number, entry: ErasedEntry | undefined): Promise<Person | undefined> {
  const user = await findUser(id);
  const former = await findFormer(id);
  if (!user && !entry && former.length === 0) return undefined;
  const said = [...(user ? [user] : []), ...former] as readonly Readonly<Record<string, unknown>>[];
  const of = <T>(name: string, type: "string" | "number") =>
    new Set(said.map((fields) => fields[name]).filter((value) => value && typeof value === type) as T[]);
  const profileIds = new Set([...of<number>("profile_id", "number"), ...(entry?.profile_ids ?? [])]);
  const profiles = new Map<number, boolean>();
  for (const profileId of profileIds) {
    profiles.set(
      profileId,
      (await findUsersOfProfile(profileId)).every((holder) => holder === id),
    );
  }
  const lastNames = [...of<string>("last_name", "string")];
  const names = [...of<string>("first_name", "string")].flatMap((first_name) =>
    lastNames.map((last_name) => ({ first_name, last_name })),
  );
  return { id, isUser: user !== undefined, profiles, names };
}

async function findFormer(id: number): Promise<object[]> {
  const former: object[] = [];
  const pages = queryPages({
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": historyPartition("user", id) },
    ConsistentRead: true,
  });
  for await (const page of pages) {
    for (const { record } of page.map(historyItems.decode)) {
      for (const text of [record.before, record.after]) if (text) former.push(JSON.parse(text));
    }
  }
  return former;
}

/** Adds the names that a timesheet has of them, if nobody else has the profile. Their own history may be empty. */
export function learnNames({ profiles, names }: Person, { profile_id, first_name, last_name }: Driver): void {
  const isKnown = names.some((name) => name.first_name === first_name && name.last_name === last_name);
  if (profiles.get(profile_id) && first_name && last_name && !isKnown) names.push({ first_name, last_name });
}

/** True for a value that names this person as a timesheet's driver. */
export function isDriver({ profiles, names }: Person, value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("profile_id" in value)) return false;
  const driver = value as { readonly profile_id: unknown } & Partial<Name>;
  const isTheirs = profiles.get(Number(driver.profile_id));
  const isNamed = () =>
    names.some((name) => name.first_name === driver.first_name && name.last_name === driver.last_name);
  return isTheirs === undefined ? false : isTheirs || isNamed();
}

/** A driver that a history has cut. */
const cutValue = v.object({ cut: v.string() });

/** The values that replace a person's name and code. */
const erased = { first_name: "Erased", last_name: "Person", referral_code: "ERASED" } as const;

/**
 * A JSON value without a person. It replaces drivers at any depth. If the value is about their timesheets, it also
 * replaces their full name in texts, and drivers that a history has cut. Everything else stays.
 */
export function withoutPerson(value: unknown, person: Person, isAbout: boolean): unknown {
  if (typeof value === "string") return isAbout ? withoutName(value, person) : value;
  if (Array.isArray(value)) return value.map((each) => withoutPerson(each, person, isAbout));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    name === "driver" && v.is(cutValue, inner) && (isAbout || showsName(inner.cut, person))
      ? { cut: "", sha256: "" }
      : withoutPerson(inner, person, isAbout),
  ]);
  return { ...Object.fromEntries(fields), ...(isDriver(person, value) && erased) };
}

/** True where a value names the person as a driver, at any depth. */
export function namesDriver(value: unknown, person: Person): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isDriver(person, value) || Object.values(value).some((inner) => namesDriver(inner, person));
}

function withoutName(text: string, { names }: Person): string {
  return names.reduce(
    (rest, { first_name, last_name }) =>
      rest.replaceAll(`${first_name} ${last_name}`, `${erased.first_name} ${erased.last_name}`),
    text,
  );
}

/** True if the rest of a cut driver has one of their names, or the beginning of one, and no other person's. */
function showsName(cut: string, { names }: Person): boolean {
  const shown = (["first_name", "last_name"] as const).filter((field) => cut.includes(`"${field}":"`));
  const has = (field: string, value: string) => {
    const rest = cut.slice(cut.indexOf(`"${field}":`) + `"${field}":`.length);
    const text = JSON.stringify(value);
    return rest.startsWith(text) || text.startsWith(rest);
  };
  return shown.length > 0 && names.some((name) => shown.every((field) => has(field, name[field])));
}

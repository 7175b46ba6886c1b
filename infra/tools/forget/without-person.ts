import { isDriver, type Person } from "./person.ts";

/** What is in place of what leads to a person. */
const erased = { first_name: "Erased", last_name: "Person", referral_code: "ERASED" } as const;

/**
 * A value of JSON without a person: as a driver, wherever that is in it; where it is about their timesheets, their full name
 * in texts as well, and drivers that a history has cut. All else is as it was.
 */
export function withoutPerson(value: unknown, person: Person, isAbout: boolean): unknown {
  if (typeof value === "string") return isAbout ? withoutName(value, person) : value;
  if (Array.isArray(value)) return value.map((each) => withoutPerson(each, person, isAbout));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    name === "driver" && isCut(inner) && isAbout ? { cut: "", sha256: "" } : withoutPerson(inner, person, isAbout),
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

function isCut(value: unknown): boolean {
  return typeof value === "object" && value !== null && "cut" in value && "sha256" in value;
}

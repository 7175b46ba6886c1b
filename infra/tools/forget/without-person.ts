import { isDriver, type Person } from "./person.ts";

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
    name === "driver" && isCut(inner) && (isAbout || showsName(inner.cut, person))
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

function isCut(value: unknown): value is { readonly cut: string } {
  return typeof value === "object" && value !== null && "cut" in value && "sha256" in value;
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

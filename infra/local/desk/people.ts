import { users } from "../../../shared/db/accounts/users.ts";
import { companies } from "../../../shared/db/records/companies.ts";
import { keyOf } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { scanItems } from "./scan-items.ts";
import type { Person } from "./views.ts";

const freshMilliseconds = 3_000;

let last: { at: number; people: Promise<Person[]> } | undefined;

/** Every user of the table, by company and role; read at most every three seconds. */
export function findPeople(): Promise<Person[]> {
  if (!last || Date.now() - last.at > freshMilliseconds) last = { at: Date.now(), people: readPeople() };
  return last.people;
}

async function readPeople(): Promise<Person[]> {
  const { items: found } = await scanItems({
    isWanted: (key) => [users, companies].some((entity) => entity.matches(key)),
  });
  const names = new Map(
    found.flatMap((item) => (companies.matches(keyOf(item)) ? [[Number(item.id), String(item.name)]] : [])),
  );
  const people = found.filter((item) => users.matches(keyOf(item))).map((item) => toPerson(item, names));
  return people.sort((one, other) => one.id - other.id);
}

function toPerson(item: Item, companyNames: ReadonlyMap<number, string>): Person {
  const { id, role, company_id, record } = users.decode(item);
  const name = [record.first_name, record.last_name].filter(Boolean).join(" ");
  const logins = [record.email, record.phone_number].filter((login) => typeof login === "string");
  const company = company_id === null ? null : (companyNames.get(company_id) ?? `company ${company_id}`);
  return { id, name, role, companyId: company_id, company, logins };
}

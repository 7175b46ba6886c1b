import { loginKey } from "../../../shared/people/logins.ts";
import { findUser, type User, userKey } from "../../../shared/people/users.ts";
import { historyItems, historyPartition } from "../../../shared/records/history.ts";
import { listedItems } from "../../../shared/records/items.ts";
import type { Item } from "../../../shared/table/table.ts";
import { getItem, keyOf, queryItems, scanPages } from "../../../shared/table/table.ts";
import { findPerson, isDriver, namesDriver, type Person } from "../forget/person.ts";
import { requireFree, requireUnstopped, writeFiles } from "./draft-files.ts";
import { type OwnDataLine, ownDataLineOf } from "./own-data.ts";

interface UserExport {
  readonly userId: number;
  readonly out: string;
  readonly signal: AbortSignal | undefined;
  onProgress(text: () => string): void;
}

/**
 * Writes all that the table holds about a user to a file, one JSON object a line. Returns the number of lines. Throws if nothing is
 * known of the user, or if the file is there, and `StoppedError` after the signal.
 */
export async function exportUser({ userId, out, signal, onProgress }: UserExport): Promise<number> {
  requireFree([out]);
  let [lines, read] = [0, 0];
  async function* texts() {
    const onPage = (items: number) => {
      read += items;
      onProgress(() => `${read} items read`);
    };
    for await (const line of linesOfUser(userId, onPage, signal)) {
      lines += 1;
      yield `${JSON.stringify(line)}\n`;
    }
  }
  await writeFiles([{ path: out, texts: texts() }], signal);
  return lines;
}

/**
 * Yields a line for each thing that the table holds about a user: what is theirs, then the timesheets of their profile, then the
 * history of these and all other history that names them as a driver. Reads the whole table once. Throws if nothing is
 * known of the user.
 */
async function* linesOfUser(
  userId: number,
  onPage: (items: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<OwnDataLine> {
  const person = await findPerson(userId, undefined);
  if (!person) throw new Error(`Nothing is known of user ${userId}`);
  const user = await findUser(userId);
  if (user) yield* linesOf(await findLoginsOf(user));
  for (const pk of [userKey(userId).pk, historyPartition("user", userId)]) yield* linesOf(await readPartition(pk));
  const { timesheets, changes } = await findOfDriver(person, onPage, signal);
  yield* linesOf([...timesheets.values()]);
  for (const pk of timesheets.keys()) yield* changeLines(await readPartition(pk), person);
  yield* changeLines(
    changes.filter(({ pk }) => !timesheets.has(String(pk))),
    person,
  );
}

/** The timesheets of a driver by the partition of their history, and the changes of any timesheet that name them. */
async function findOfDriver(person: Person, onPage: (items: number) => void, signal: AbortSignal | undefined) {
  const timesheets = new Map<string, Item>();
  const changes: Item[] = [];
  const pages = scanPages({
    FilterExpression: "sk = :timesheet OR begins_with(pk, :history)",
    ExpressionAttributeValues: { ":timesheet": "TIMESHEET", ":history": historyPartition("timesheet", "") },
  });
  for await (const { items, read } of pages) {
    for (const item of items) {
      if (historyItems.matches(keyOf(item))) {
        if (namesDriver(valuesOf(item), person)) changes.push(item);
        continue;
      }
      const { id, record } = listedItems.TIMESHEETS.decode(item);
      if (isDriver(person, record.driver)) timesheets.set(historyPartition("timesheet", id), item);
    }
    onPage(read);
    requireUnstopped(signal);
  }
  return { timesheets, changes };
}

function readPartition(pk: string): Promise<Item[]> {
  const key = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk } };
  return queryItems({ ...key, ConsistentRead: true });
}

function linesOf(items: readonly Item[]): OwnDataLine[] {
  return items.flatMap((item) => ownDataLineOf(item) ?? []);
}

function valuesOf(item: Item): unknown[] {
  const { before, after } = historyItems.decode(item).record;
  return [before, after].map((text): unknown => text && JSON.parse(text));
}

/** A change from one driver to another shows the person no other driver. */
function changeLines(items: readonly Item[], person: Person): OwnDataLine[] {
  return linesOf(items).map(({ before, after, ...line }) => ({
    ...line,
    before: withoutOthers(before, person),
    after: withoutOthers(after, person),
  }));
}

function withoutOthers(fields: unknown, person: Person): unknown {
  const { driver } = (fields ?? {}) as { readonly driver?: unknown };
  return driver === undefined || isDriver(person, driver) ? fields : { ...(fields as object), driver: null };
}

/** Finds the items of a user's logins. Half a read unit each, one round trip. */
async function findLoginsOf({ email, phone_number }: Pick<User, "email" | "phone_number">): Promise<Item[]> {
  const own = [email, phone_number].filter((login) => login !== null);
  const found = await Promise.all(own.map((login) => getItem(loginKey(login))));
  return found.filter((item) => item !== undefined);
}

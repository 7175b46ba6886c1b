import { refreshMessage } from "../../shared/messages/queue-messages.ts";
import { companyKeys } from "../../shared/records/companies.ts";
import { companyList, type Figures, freshMs, knownMonths, snapshotKey } from "../../shared/records/snapshots.ts";
import { addFigures } from "../../shared/records/totals.ts";
import { counters, type ListName, monthOf, totalQueries } from "../../shared/table/counters.ts";
import { queryPage, queryPages } from "../../shared/table/table.ts";
import { allOf, anyOf, isAbsent, lacks, updateIf } from "../../shared/table/writes.ts";
import { forQueue } from "../../shared/worker.ts";

/** Longer than a reading takes. If one fails, the next may begin then. */
const heldMs = 30_000;

/**
 * Reads a snapshot anew, unless it is fresh or another call reads it (D30). 1 write unit a KB at the beginning and at the end.
 * Half a read unit for 4 KB of the counters of all companies, or of the keys of companies; for the months of a list, half a
 * unit for each in each partition.
 */
export const handler = forQueue(refreshMessage, async ({ list, month }, { now }) => {
  const [key, beginsAt] = [snapshotKey(list, month), now.getTime()];
  const held_until = beginsAt + heldMs;
  const isOurs = await updateIf(key, {
    when: allOf(anyOf(isAbsent, "read_at < :fresh"), anyOf(lacks("held_until"), "held_until < :now")),
    values: { ":fresh": beginsAt - freshMs, ":now": beginsAt },
    set: { held_until },
    setOnce: { read_at: 0 },
  });
  if (!isOurs) return;
  const figures = await readFigures(list, month);
  await updateIf(key, { where: { held_until }, set: { read_at: beginsAt, figures }, remove: ["held_until"] });
});

function readFigures(list: ListName | typeof companyList, month: string): Promise<Figures> {
  if (list === companyList) return countCompanies();
  return month === knownMonths ? findMonths(list) : sumMonth(list, month);
}

async function countCompanies(): Promise<Figures> {
  let companies = 0;
  for await (const keys of queryPages(companyKeys())) companies += keys.length;
  return { companies };
}

/** Goes from each month to the next one in the index. */
async function findMonths(list: ListName): Promise<Figures> {
  const found: Record<string, number> = {};
  const everyMonth = { from: "0000-01", to: "9999-12" };
  const findIn = async (shard: number) => {
    for (let from: string | undefined = everyMonth.from; from !== undefined; ) {
      const { items } = await queryPage({ ...totalQueries(list, { ...everyMonth, from })[shard], Limit: 1 });
      const month = items[0] && monthOf(counters.decode(items[0]));
      if (month !== undefined) found[month] = 1;
      from = month && `${month}#~`;
    }
  };
  await Promise.all(totalQueries(list, everyMonth).map((_, shard) => findIn(shard)));
  return found;
}

async function sumMonth(list: ListName, month: string): Promise<Figures> {
  const sums = new Map<string, number>();
  const addPartition = async (query: ReturnType<typeof totalQueries>[number]) => {
    for await (const page of queryPages(query)) for (const part of page) addFigures(sums, part);
  };
  await Promise.all(totalQueries(list, { from: month, to: month }).map(addPartition));
  return Object.fromEntries(sums);
}

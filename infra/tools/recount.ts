import { inParallel } from "../../shared/run/batches.ts";
import { patiently } from "./aws/patience.ts";
import { flagOption, readArguments, runCommand, textOption, UsageError } from "./cli/command.ts";
import { findCountedCompanies } from "./recount/counted-companies.ts";
import { listNames } from "./recount/list-counters.ts";
import { describeDifference, recount } from "./recount/recount-lists.ts";
import { readStage, stageOptions } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";

const help = `npm run recount -- --company ID|all [--repair] [--stage NAME [--stages FILE]]

Compares the counters of a company's lists with its records. Safe while the service runs: a difference is one that is
found again a minute later, and is added only if nobody wrote the counter meanwhile.

  --company ID   the company, or all that have counters
  --repair       add the differences to the counters
  --stage NAME   a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --stages FILE  the file that has the stage (infra/stages/stages.ts)

Ends with 0 if all is equal, or was repaired; 1 if it is not; 2 if the call was wrong.
`;

/** More lists at once would take reads from users. */
const listsAtOnce = 6;

if (import.meta.main) await runCommand((parameters) => recountLists(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function recountLists(parameters: string[], directory: string, waits = {}): Promise<number> {
  const options = { company: textOption, repair: flagOption, ...stageOptions };
  const { values } = readArguments("recount", help, { args: parameters, options });
  const { company = "", repair: repairs = false } = values;
  if (!/^(all|[1-9]\d{0,15})$/.test(company)) throw new UsageError("--company takes the id of a company, or all");
  return withService({ stage: readStage(values), directory }, async (_, progress) => {
    const companies = company === "all" ? await findCountedCompanies() : [Number(company)];
    const lists = companies.flatMap((companyId) => listNames.map((list) => ({ list, companyId })));
    let [records, differing, done] = [0, 0, 0];
    progress.show(() => `${done} of ${lists.length} lists, ${records} records`);
    await inParallel(lists, listsAtOnce, async (list) => {
      const found = await patiently(() => recount(list, { repairs, ...waits }));
      records += found.records;
      differing += found.differences.length;
      done += 1;
      progress.clear();
      process.stdout.write(found.differences.map((each) => `${describeDifference(each)}\n`).join(""));
    });
    progress.end();
    const found = differing === 0 ? "all counters are exact" : `counters that differ: ${differing}`;
    const next = repairs ? ", repaired." : ". --repair adds the differences.";
    process.stdout.write(`${records} records, ${found}${differing === 0 ? "." : next}\n`);
    return differing === 0 || repairs ? 0 : 1;
  });
}

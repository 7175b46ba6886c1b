import { readArguments, readWholeNumber, runCommand, UsageError, unknownWord } from "../../infra/tools/cli/command.ts";

const usualImports = [20_000];
/** More would take days. */
const mostOfOption = 10_000_000;
const usualRounds = 9;

const help = `npm run bench -- BENCHMARK [--rounds N] [--sizes N,N,…]

calls  size, start, first and warm calls of GET invoices, against the bare SDK and the usual stack
import how many invoices a second are imported into the running local machine
costs  what a million calls of every operation cost; writes the months of infra/COSTS.md

  --rounds N     how often each candidate of calls runs, in random order (${usualRounds})
  --sizes N,N,…  numbers of invoices to import (${usualImports})

calls installs what it measures against under .local/bench, once. It and import
want a machine that does nothing else.
Ends with 0 when every figure keeps within its bar, 1 when one does not, 2 when the call was wrong.
`;

interface Options {
  readonly sizes: readonly number[] | undefined;
  readonly rounds: number | undefined;
}

type Say = (text: string) => void;

/** A benchmark is only loaded when it is asked for: what it needs is not small. */
const benchmarks: Readonly<Record<string, (options: Options, say: Say) => Promise<boolean>>> = {
  import: async ({ sizes = usualImports }, say) => (await import("./import/import-bench.ts")).benchImport(sizes, say),
  calls: async ({ rounds = usualRounds }, say) => (await import("./call/call-bench.ts")).benchCalls(rounds, say),
  costs: async (_, say) => (await import("./costs/costs-bench.ts")).benchCosts(say),
};

await runCommand(bench);

async function bench(parameters: string[]): Promise<number> {
  const options = { sizes: { type: "string" }, rounds: { type: "string" } } as const;
  const asked = readArguments("bench", help, { args: parameters, allowPositionals: true, options });
  const { values, positionals } = asked;
  const [name = "", ...others] = positionals;
  const benchmark = benchmarks[name];
  if (!benchmark) throw unknownWord("benchmark", name, Object.keys(benchmarks));
  if (others.length > 0) throw new UsageError("Name one benchmark (npm run bench -- --help)");
  const chosen = {
    sizes: values.sizes?.split(",").map((size) => readWholeNumber("sizes", size, 1_000, mostOfOption)),
    rounds: values.rounds === undefined ? undefined : readWholeNumber("rounds", values.rounds, 1, mostOfOption),
  };
  return (await benchmark(chosen, (text) => process.stdout.write(`${text}\n`))) ? 0 : 1;
}

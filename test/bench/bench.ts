import { readArguments, readWholeNumber, runCommand, UsageError, unknownWord } from "../../infra/tools/cli/command.ts";

const usualRounds = 9;
const mostRounds = 1_000;

const help = `npm run bench -- BENCHMARK [--rounds N]

calls  size, start, first and warm calls of GET invoices, against the bare SDK and the usual stack
costs  what a million calls of every operation cost; writes the months of infra/COSTS.md

  --rounds N  how often each candidate of calls runs, in random order (${usualRounds})

calls installs what it measures against under .local/bench, once. It wants a machine that does nothing else.
Ends with 0 when every figure keeps within its bar, 1 when one does not, 2 when the call was wrong.
`;

type Say = (text: string) => void;

/** A benchmark is only loaded when it is asked for: what it needs is not small. */
const benchmarks: Readonly<Record<string, (rounds: number, say: Say) => Promise<boolean>>> = {
  calls: async (rounds, say) => (await import("./call/call-bench.ts")).benchCalls(rounds, say),
  costs: async (_, say) => (await import("./costs/costs-bench.ts")).benchCosts(say),
};

await runCommand(bench);

async function bench(parameters: string[]): Promise<number> {
  const options = { rounds: { type: "string", default: String(usualRounds) } } as const;
  const asked = readArguments("bench", help, { args: parameters, allowPositionals: true, options });
  const { values, positionals } = asked;
  const [name = "", ...others] = positionals;
  const benchmark = benchmarks[name];
  if (!benchmark) throw unknownWord("benchmark", name, Object.keys(benchmarks));
  if (others.length > 0) throw new UsageError("Name one benchmark (npm run bench -- --help)");
  const rounds = readWholeNumber("rounds", values.rounds, 1, mostRounds);
  return (await benchmark(rounds, (text) => process.stdout.write(`${text}\n`))) ? 0 : 1;
}

import { readArguments, runCommand, UsageError, unknownWord } from "../../infra/tools/command.ts";
import { benchStore } from "./store/store-bench.ts";

const help = `npm run bench -- store [--sizes N,N,…]

store  read units, write units and round trips of every call that has a bar, on a local engine of its own

  --sizes N,N,…  numbers of invoices (1000,100000,1000000); above 100,000 they are put straight into the file of the engine, dynoxide
  --help         show this

Ends with 0 when every figure keeps within its bar, 1 when one does not, 2 when the call was wrong.
`;

const usualSizes = "1000,100000,1000000";

await runCommand(bench);

async function bench(parameters: string[]): Promise<number> {
  const { values, positionals } = readArguments("bench", {
    args: parameters,
    allowPositionals: true,
    options: { sizes: { type: "string" }, help: { type: "boolean" } },
  } as const);
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const [name, ...others] = positionals;
  if (name !== "store") throw unknownWord("benchmark", name ?? "", ["store"]);
  if (others.length > 0) throw new UsageError("Name one benchmark (npm run bench -- --help)");
  const sizes = (values.sizes ?? usualSizes).split(",").map(Number);
  if (sizes.some((size) => !Number.isInteger(size) || size < 1_000)) {
    throw new UsageError("--sizes must be whole numbers of at least 1000, with commas between them");
  }
  return (await benchStore(sizes, (text) => process.stdout.write(`${text}\n`))) ? 0 : 1;
}

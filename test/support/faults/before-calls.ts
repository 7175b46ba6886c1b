import { tableClient } from "../../../shared/table/table.ts";

/** Has something done before each call of the table that some work makes. If it throws, the call fails with that. */
export async function beforeCalls<T>(
  meanwhile: (command: string, input: object) => unknown,
  work: () => Promise<T>,
): Promise<T> {
  const name = `meanwhile-${crypto.randomUUID()}`;
  tableClient().middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        await meanwhile(commandName, args.input);
        return next(args);
      },
    { step: "initialize", name },
  );
  return work().finally(() => tableClient().middlewareStack.remove(name));
}

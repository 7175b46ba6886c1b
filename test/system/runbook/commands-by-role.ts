import { awsCommandsIn } from "./shell-commands.ts";

/** A command of the runbook, with who runs it. */
export interface RoleCommand {
  readonly role: "administrator" | "on call" | "repair";
  /** The command's words, of which the first is `aws`, `npm` or `npx`. */
  readonly words: readonly string[];
}

/**
 * The commands of a text, each of the role that is named last before it in its paragraph, or before a block in the
 * paragraph that leads to it. Where none is named, it is of the role on call.
 */
export function commandsByRole(text: string): RoleCommand[] {
  const parts = text.split(/(^ *```sh\n.*?^ *```$)|\n\s*\n|\n(?=\s*(?:[-|]|\d+\.) )/gms).filter((part) => part?.trim());
  let before = "";
  return parts.flatMap((part) => {
    if (/^ *```sh/.test(part)) {
      const role = roleIn(before);
      return commandsIn(part).map((words) => ({ role, words }));
    }
    before = part;
    const spans = [...part.matchAll(/`[^`]+`/g)];
    return spans.flatMap(({ 0: code, index }) =>
      commandsIn(code).map((words) => ({ role: roleIn(part.slice(0, index)), words })),
    );
  });
}

function commandsIn(code: string): string[][] {
  const own = [...code.matchAll(/\b(npm run|npx cdk) ([a-z-]+)/g)].map(([, start = "", name = ""]) => [
    ...start.split(" "),
    name,
  ]);
  return [...awsCommandsIn(code).map((words) => ["aws", ...words]), ...own];
}

const names = { administrator: "administrator", "role on call": "on call", "repair role": "repair" } as const;

function roleIn(text: string): RoleCommand["role"] {
  const found = text
    .replaceAll(/\s+/g, " ")
    .match(/administrator|role on call|repair role/g)
    ?.at(-1);
  return found === undefined ? "on call" : names[found as keyof typeof names];
}

/** The project's commands that the repair role runs, as is shown of each, and the runbook may therefore say. */
export const repairCommands = ["recount", "import", "history"];

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../infra/support/root.ts";

const declaration = "export const handler =";

/** True for the text of an operation's or a worker's own file, in contrast to one that it imports. */
export function declaresHandler(text: string): boolean {
  return text.includes(declaration);
}

/** The text with another name for the handler that it declares, not exported. */
export function withOwnHandler(text: string, name: string): string {
  return text.replace(declaration, `const ${name} =`);
}

/** The own files of all operations and workers, from the folder of the checkout, sorted. */
export function functionFiles(): string[] {
  const files = globSync("functions/*/*.ts", { cwd: root }).toSorted();
  return files.filter((file) => declaresHandler(readFileSync(join(root, file), "utf8")));
}

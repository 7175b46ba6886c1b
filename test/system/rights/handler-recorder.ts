import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";

const recorder = fileURLToPath(new URL("recorded-calls.ts", import.meta.url));
const declaration = "export const handler =";

/** Has the tests load every function file with its handler recorded; the file itself knows nothing of it. */
export function recordHandlers(root: string): Plugin {
  return {
    name: "record-handlers",
    enforce: "post",
    transform(code, id) {
      if (!id.startsWith(join(root, "functions/"))) return undefined;
      if (!code.includes(declaration)) throw new Error(`${id} declares its handler otherwise than the others`);
      const name = basename(id, ".ts");
      const recorded = `import { recordCallsOf } from ${JSON.stringify(recorder)};
export const handler = recordCallsOf(${JSON.stringify(name)}, ownHandler);`;
      return { code: `${code.replace(declaration, "const ownHandler =")}\n${recorded}\n`, map: null };
    },
  };
}

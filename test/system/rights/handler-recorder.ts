import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";
import { declaresHandler, withOwnHandler } from "../../support/service/function-files.ts";

const recorder = fileURLToPath(new URL("recorded-calls.ts", import.meta.url));

/** Has the tests load the own file of every function with its handler recorded; the file itself knows nothing of it. */
export function recordHandlers(root: string): Plugin {
  return {
    name: "record-handlers",
    enforce: "post",
    transform(code, id) {
      if (!id.startsWith(join(root, "functions/")) || !declaresHandler(code)) return undefined;
      const name = basename(id, ".ts");
      const recorded = `import { recordCallsOf } from ${JSON.stringify(recorder)};
export const handler = recordCallsOf(${JSON.stringify(name)}, ownHandler);`;
      return { code: `${withOwnHandler(code, "ownHandler")}\n${recorded}\n`, map: null };
    },
  };
}

import { runCommand } from "../../../infra/tools/cli/command.ts";
import { installLocked } from "../../gates/install.ts";

/** Installs what builds an app and drives a browser into `.local/browser`; gives its `node_modules`. */
export function installBrowserTools(): string {
  return installLocked("test/system/browser", "browser");
}

// The gate installs first, to distinguish a machine without access to npm's packages from a client that fails.
if (import.meta.main) {
  await runCommand(() => {
    installBrowserTools();
    return 0;
  });
}
